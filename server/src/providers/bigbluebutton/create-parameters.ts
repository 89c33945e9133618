import { limitOf } from '@foyer/contract/features.ts';
import { createHmac } from 'node:crypto';
import type { MeetingPlan } from '../meeting-provider.ts';
import type { Parameters } from './signed-url.ts';

/**
 * What `create` is called with. Unlimited is left out, since 0 means unlimited to the server;
 * a limit of 0 must have been refused before and is an error of ours here.
 */
export function createParameters(plan: MeetingPlan): Parameters {
  const parameters: Record<string, string> = {
    meetingID: plan.meetingId,
    name: meetingName(plan.name),
    ...passwords(plan),
    ...limits(plan),
    ...recording(plan),
    ...switches(plan),
    ...texts(plan),
    guestPolicy: guestPolicies[String(plan.settings['guest_policy'] ?? 'always_accept')] ?? 'ALWAYS_ACCEPT',
  };
  const disabled = disabledFeatures(plan);
  if (disabled.length > 0) parameters['disabledFeatures'] = disabled.join(',');
  for (const [name, value] of Object.entries(plan.metadata)) parameters[`meta_${name}`] = value;
  return parameters;
}

/** The same for every call about the meeting: a server answers a second `create` only when they match. */
export function passwords({ passwordSeed, meetingId }: Pick<MeetingPlan, 'passwordSeed' | 'meetingId'>) {
  const make = (role: string) =>
    createHmac('sha256', passwordSeed).update(`${role}:${meetingId}`).digest('base64url').slice(0, 32);
  return { attendeePW: make('attendee'), moderatorPW: make('moderator') };
}

/** The server wants 2 to 256 characters. */
export function meetingName(name: string): string {
  const cut = Array.from(name).slice(0, 256).join('');
  return Array.from(cut).length < 2 ? cut.padEnd(2, '.') : cut;
}

/** `ASK_MODERATOR` would hold attendees, too; this policy holds guests alone, as `guest_policy` promises. */
const guestPolicies: Record<string, string> = {
  always_accept: 'ALWAYS_ACCEPT',
  ask_moderator: 'ALWAYS_ACCEPT_AUTH',
  // The server's ALWAYS_DENY would refuse attendees, too: guests are refused at the door instead.
  always_deny: 'ALWAYS_ACCEPT',
};

function limits(plan: MeetingPlan): Parameters {
  return { ...limit(plan, 'max_participants', 'maxParticipants'), ...limit(plan, 'max_duration', 'duration') };
}

function limit(plan: MeetingPlan, feature: string, parameter: string): Parameters {
  const value = plan.features.get(feature);
  const most = value === undefined ? null : limitOf(value);
  if (most === null) return {};
  if (most < 1) throw new RangeError(`${feature} is 0: nobody may enter, and the server would take it for unlimited`);
  return { [parameter]: String(most) };
}

function recording(plan: MeetingPlan): Parameters {
  const isAllowed = plan.features.get('recording') === 'true';
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
  const given: Record<string, string> = {};
  for (const [setting, parameter] of Object.entries(flagParameters)) {
    const value = plan.settings[setting];
    if (typeof value === 'boolean') given[parameter] = String(value);
  }
  // A subscription without webcams or chat locks them for everybody whom a lock reaches.
  if (plan.features.get('webcams') === 'false') given['lockSettingsDisableCam'] = 'true';
  return given;
}

const textParameters: Record<string, string> = {
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
  const given: Record<string, string> = {};
  for (const [setting, parameter] of Object.entries(textParameters)) {
    const value = plan.settings[setting];
    if (typeof value === 'string' || typeof value === 'number') given[parameter] = String(value);
  }
  return given;
}

/** Feature code to what the server calls it. */
const serverFeatures: Record<string, readonly string[]> = {
  screen_sharing: ['screenshare'],
  public_chat: ['chat'],
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
    .filter(([feature]) => plan.features.get(feature) === 'false')
    .flatMap(([, names]) => names);
  if (plan.settings['external_videos'] === false && !disabled.includes('externalVideos'))
    disabled.push('externalVideos');
  if (plan.settings['camera_as_content'] === false) disabled.push('cameraAsContent');
  return disabled;
}
