import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { createHmac } from 'node:crypto';
import type { MeetingPlan } from '../meet.ts';
import type { Parameters } from './request/signed-request.ts';

/** The metadata key that distinguishes our meetings from others. */
export const ownershipMark = 'foyer-meeting';

/**
 * The parameters of `create`, without limits that are unlimited.
 * @throws RangeError for a limit of 0, which the server reads as unlimited (joins are rejected before), and for an
 * invalid metadata key
 */
export function createParameters(plan: MeetingPlan): Parameters {
  const disabled = disabledFeatures(plan);
  return {
    meetingID: plan.meetingId,
    name: meetingName(plan.name),
    ...passwords(plan),
    ...limits(plan),
    ...recording(plan),
    ...switches(plan),
    ...texts(plan),
    guestPolicy: guestPolicy(plan),
    ...(disabled.length > 0 ? { disabledFeatures: disabled.join(',') } : {}),
    ...keepEvents(plan),
    ...metadata(plan),
  };
}

/**
 * The passwords are the same for every call about the meeting: a server accepts a second `create` only if they match.
 */
export function passwords({ passwordSeed, meetingId }: Pick<MeetingPlan, 'passwordSeed' | 'meetingId'>) {
  const make = (role: string) =>
    createHmac('sha256', passwordSeed).update(`${role}:${meetingId}`).digest('base64url').slice(0, 32);
  return { attendeePW: make('attendee'), moderatorPW: make('moderator') };
}

/** The server accepts 2 to 256 UTF-16 units. */
export function meetingName(name: string): string {
  const wellFormed = name.toWellFormed().trim();
  const end = isHighSurrogate(wellFormed.charCodeAt(255)) && wellFormed.length > 256 ? 255 : 256;
  return wellFormed.slice(0, end).padEnd(2, '.');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/**
 * Returns only policies that do not affect attendees: with `ASK_MODERATOR` they would wait, and with `ALWAYS_DENY` they
 * would be refused. Foyer refuses guests itself; a guest who joins directly on the provider waits for a moderator.
 */
function guestPolicy({ settings }: MeetingPlan): string {
  const policy = settings['guest_policy'];
  return policy === 'ask_moderator' || policy === 'always_deny' ? 'ALWAYS_ACCEPT_AUTH' : 'ALWAYS_ACCEPT';
}

/** A flag that is missing is off. */
function isFeatureOff(plan: MeetingPlan, feature: string): boolean {
  return plan.features.get(feature) !== 'true';
}

function limits(plan: MeetingPlan): Parameters {
  return {
    ...limit(plan, 'max_participants', 'maxParticipants'),
    ...limit(plan, 'max_duration', 'duration'),
  };
}

function limit(plan: MeetingPlan, feature: string, parameter: string): Parameters {
  const value = plan.features.get(feature);
  const maximum = value === undefined ? null : limitOf(value);
  if (maximum === null) return {};
  if (maximum < 1) throw new RangeError(`${feature} is 0, which the server would read as unlimited`);
  return { [parameter]: String(maximum) };
}

function recording(plan: MeetingPlan): Parameters {
  const isAllowed = !isFeatureOff(plan, 'recording');
  return {
    record: String(isAllowed),
    autoStartRecording: String(isAllowed && plan.settings['auto_start_recording'] === true),
    allowStartStopRecording: String(isAllowed && plan.settings['allow_start_stop_recording'] !== false),
  };
}

const flagParameters: Record<string, string> = {
  webcams_only_for_moderator: 'webcamsOnlyForModerator',
  mute_on_start: 'muteOnStart',
  allow_mods_to_unmute_users: 'allowModsToUnmuteUsers',
  allow_mods_to_eject_cameras: 'allowModsToEjectCameras',
  disable_cam: 'lockSettingsDisableCam',
  disable_mic: 'lockSettingsDisableMic',
  disable_private_chat: 'lockSettingsDisablePrivateChat',
  disable_public_chat: 'lockSettingsDisablePublicChat',
  disable_notes: 'lockSettingsDisableNotes',
  hide_viewers_cursor: 'lockSettingsHideViewersCursor',
  hide_user_list: 'lockSettingsHideUserList',
  end_when_no_moderator: 'endWhenNoModerator',
  notify_recording_is_on: 'notifyRecordingIsOn',
};

function switches(plan: MeetingPlan): Parameters {
  const parameters: Record<string, string> = {};
  for (const [setting, parameter] of Object.entries(flagParameters)) {
    const value = plan.settings[setting];
    if (typeof value === 'boolean') parameters[parameter] = String(value);
  }
  if (isFeatureOff(plan, 'webcams')) parameters['lockSettingsDisableCam'] = 'true';
  if (isFeatureOff(plan, 'public_chat')) parameters['lockSettingsDisablePublicChat'] = 'true';
  // Overrides a server default with which locks do not apply to people who join.
  if (Object.entries(parameters).some(([name, value]) => name.startsWith('lockSettings') && value === 'true'))
    parameters['lockSettingsLockOnJoin'] = 'true';
  return parameters;
}

export const textParameters: Readonly<Record<string, string>> = {
  moderator_only_message: 'moderatorOnlyMessage',
  welcome_message: 'welcome',
  banner_text: 'bannerText',
  banner_color: 'bannerColor',
  meeting_layout: 'meetingLayout',
  end_when_no_moderator_timeout: 'endWhenNoModeratorDelayInMinutes',
  user_camera_cap: 'userCameraCap',
  meeting_camera_cap: 'meetingCameraCap',
  presentation_url: 'presentationUploadExternalUrl',
  presentation_description: 'presentationUploadExternalDescription',
  logout_url: 'logoutURL',
  logo: 'logo',
};

function texts(plan: MeetingPlan): Parameters {
  const parameters: Record<string, string> = {};
  for (const [setting, parameter] of Object.entries(textParameters)) {
    const value = plan.settings[setting];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') parameters[parameter] = String(value);
  }
  if (isFeatureOff(plan, 'presentation_upload')) {
    delete parameters['presentationUploadExternalUrl'];
    delete parameters['presentationUploadExternalDescription'];
  }
  return parameters;
}

/** The server's features by feature code. There is none for webcams themselves, which are locked instead. */
const serverFeatures: Record<string, readonly string[]> = {
  screen_sharing: ['screenshare'],
  webcams: ['cameraAsContent'],
  private_chat: ['privateChat'],
  polls: ['polls'],
  shared_notes: ['sharedNotes'],
  presentation_upload: ['presentation'],
  breakout_rooms: ['breakoutRooms'],
  virtual_backgrounds: ['virtualBackgrounds', 'customVirtualBackgrounds'],
  captions: ['captions', 'liveTranscription'],
  learning_dashboard: ['learningDashboard', 'learningDashboardDownloadSessionData'],
  external_videos: ['externalVideos'],
  raise_hand: ['raiseHand'],
  layouts: ['layouts'],
};

function disabledFeatures(plan: MeetingPlan): string[] {
  const disabled = Object.entries(serverFeatures)
    .filter(([feature]) => isFeatureOff(plan, feature))
    .flatMap(([, names]) => names);
  // Disabling `chat` would also disable private chat, so public chat is locked instead.
  if (isFeatureOff(plan, 'public_chat') && isFeatureOff(plan, 'private_chat')) disabled.push('chat');
  if (plan.settings['external_videos'] === false) disabled.push('externalVideos');
  if (plan.settings['camera_as_content'] === false) disabled.push('cameraAsContent');
  return [...new Set(disabled)];
}

/** The server only reports the attendance if it keeps the events. */
function keepEvents({ callbacks }: MeetingPlan): Parameters {
  return callbacks?.analytics === undefined ? {} : { meetingKeepEvents: 'true' };
}

function metadata({ meetingId, metadata: parameters, callbacks = {} }: MeetingPlan): Parameters {
  const { ended, analytics, recordingReady } = callbacks;
  const all = {
    ...parameters,
    ...(ended && { endCallbackUrl: ended }),
    ...(analytics && { 'analytics-callback-url': analytics }),
    ...(recordingReady && { 'bbb-recording-ready-url': recordingReady }),
    [ownershipMark]: meetingId,
  };
  return Object.fromEntries(
    Object.entries(all).map(([key, value]) => {
      // The server silently drops keys of another format.
      if (!/^[a-z][a-z0-9-]*$/i.test(key)) throw new RangeError(`${key} cannot be a key of a meeting's metadata`);
      return [`meta_${key}`, value];
    }),
  );
}
