import { type Parameters, readFlag, readText, readWholeNumber } from './request/parameters.ts';
import { invalid } from './request/refusals.ts';

/** The parameters of create besides identity, passwords and metadata, with the defaults of a plain server. */
export const createParameters = {
  dialNumber: text('613-555-1234'),
  welcome: text(''),
  moderatorOnlyMessage: text(''),
  bannerText: text(''),
  bannerColor: color(),
  copyright: text(''),

  maxParticipants: wholeNumber(0),
  duration: wholeNumber(0),
  userCameraCap: wholeNumber(3),
  meetingCameraCap: wholeNumber(0),
  maxPinnedCameras: wholeNumber(3),
  maxNumPages: wholeNumber(200),

  meetingExpireIfNoUserJoinedInMinutes: wholeNumber(5),
  meetingExpireWhenLastUserLeftInMinutes: wholeNumber(1),
  endWhenNoModerator: flag(false),
  endWhenNoModeratorDelayInMinutes: wholeNumber(1),
  learningDashboardCleanupDelayInMinutes: wholeNumber(2),

  record: flag(false),
  autoStartRecording: flag(false),
  allowStartStopRecording: flag(true),
  recordFullDurationMedia: flag(false),
  notifyRecordingIsOn: flag(false),
  meetingKeepEvents: flag(false),
  breakoutRoomsRecord: flag(false),

  guestPolicy: choice('ALWAYS_ACCEPT', ['ALWAYS_DENY', 'ASK_MODERATOR', 'ALWAYS_ACCEPT_AUTH']),
  allowPromoteGuestToModerator: flag(false),
  allowRequestsWithoutSession: flag(false),

  muteOnStart: flag(false),
  allowModsToUnmuteUsers: flag(false),
  allowModsToEjectCameras: flag(false),
  webcamsOnlyForModerator: flag(false),

  lockSettingsDisableCam: flag(false),
  lockSettingsDisableMic: flag(false),
  lockSettingsDisablePrivateChat: flag(false),
  lockSettingsDisablePublicChat: flag(false),
  lockSettingsDisableNotes: flag(false),
  lockSettingsHideUserList: flag(false),
  lockSettingsHideViewersCursor: flag(false),
  lockSettingsHideViewersAnnotation: flag(false),
  lockSettingsLockOnJoin: flag(true),
  lockSettingsLockOnJoinConfigurable: flag(false),

  meetingLayout: text('CUSTOM_LAYOUT'),
  disabledFeatures: text(''),
  disabledFeaturesExclude: text(''),

  logoutURL: text(''),
  loginURL: text(''),
  meetingEndedURL: text(''),
  logo: text(''),
  darklogo: text(''),
  presentationUploadExternalUrl: url(),
  presentationUploadExternalDescription: text(''),
  preUploadedPresentation: text(''),
  preUploadedPresentationName: text(''),
  preUploadedPresentationOverrideDefault: flag(true),
  presentationConversionCacheEnabled: flag(false),
  pluginManifests: text(''),
  pluginManifestsFetchUrl: text(''),

  sequence: wholeNumber(0),
  freeJoin: flag(false),
  groups: text(''),
  breakoutRoomsPrivateChatEnabled: flag(true),
  breakoutRoomsEnabled: flag(true),
  learningDashboardEnabled: flag(true),
  virtualBackgroundsDisabled: flag(false),
  keepEvents: flag(false),
};

export type CreateSettings = {
  [Name in keyof typeof createParameters]: (typeof createParameters)[Name]['fallback'];
};

/** Reads and validates the parameters. Absent parameters get their default. @throws ApiRefusal for the first invalid one */
export function readCreateSettings(parameters: Parameters): CreateSettings {
  const settings = Object.entries(createParameters).map(([name, rule]) => [
    name,
    rule.read(parameters, name) ?? rule.fallback,
  ]);
  return Object.fromEntries(settings) as CreateSettings;
}

interface Rule<Value> {
  fallback: Value;
  read(parameters: Parameters, name: string): Value | undefined;
}

function text(fallback: string): Rule<string> {
  return { fallback, read: (parameters, name) => parameters.get(name)?.trim() || undefined };
}

function flag(fallback: boolean): Rule<boolean> {
  return {
    fallback,
    read: (parameters, name) =>
      readFlag(parameters, name, `${capitalize(name)} must be a boolean value (true or false)`),
  };
}

function wholeNumber(fallback: number): Rule<number> {
  return {
    fallback,
    read: (parameters, name) => readWholeNumber(parameters, name, `${capitalize(name)} must be an integral number`),
  };
}

function choice(fallback: string, otherValues: string[]): Rule<string> {
  return {
    fallback,
    read(parameters, name) {
      const value = readText(parameters, name);
      if (value !== undefined && value !== fallback && !otherValues.includes(value)) {
        throw invalid(`${capitalize(name)} must be one of ${[fallback, ...otherValues].join(', ')}`);
      }
      return value;
    },
  };
}

function color(): Rule<string> {
  return {
    fallback: '',
    read(parameters, name) {
      const value = readText(parameters, name);
      if (value !== undefined && !/^#[0-9a-f]{6}$/i.test(value)) {
        throw invalid(`${capitalize(name)} must be a colour like #FFFFFF`);
      }
      return value;
    },
  };
}

function url(): Rule<string> {
  return {
    fallback: '',
    read(parameters, name) {
      const value = readText(parameters, name);
      if (value !== undefined && !/^https?:\/\//i.test(value)) {
        throw invalid(`${capitalize(name)} must be a valid URL`);
      }
      return value;
    },
  };
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
