import type { TSchema } from 'typebox';
import { boolean, integer, oneOf, text } from '../../conventions/field.ts';

export const recordingAudiences = ['nobody', 'moderators', 'participants', 'everyone'] as const;
export type RecordingAudience = (typeof recordingAudiences)[number];

/** The settings that Foyer knows; others are kept unchanged. */
export const roomSettings = {
  description: text(32_768),
  featured_image: text(2048, { format: 'http-url' }),
  hero_image: text(2048, { format: 'http-url' }),
  anyone_can_start: boolean('Whether any participant can start the meeting, not only moderators.'),
  guest_policy: oneOf(['always_accept', 'always_deny', 'ask_moderator']),
  recordings_for: oneOf(
    recordingAudiences,
    'Who can watch the recordings on the page of the room: `participants` are all who have a token of the room, `everyone` all who know its address.',
  ),
} as const satisfies Record<string, TSchema>;

/** Further settings of rooms of type `meet`. */
export const meetRoomSettings = {
  moderator_only_message: text(32_768),
  auto_start_recording: boolean(),
  allow_start_stop_recording: boolean(),
  webcams_only_for_moderator: boolean(),
  banner_text: text(1000),
  banner_color: text(7, { format: 'color' }),
  mute_on_start: boolean(),
  allow_mods_to_unmute_users: boolean(),
  allow_mods_to_eject_cameras: boolean(),
  disable_cam: boolean(),
  disable_mic: boolean(),
  disable_private_chat: boolean(),
  disable_public_chat: boolean(),
  disable_notes: boolean(),
  welcome_message: text(32_768),
  camera_as_content: boolean(),
  external_videos: boolean(),
  hide_viewers_cursor: boolean(),
  hide_user_list: boolean(),
  end_when_no_moderator: boolean(),
  end_when_no_moderator_timeout: integer(1, 1440),
  meeting_layout: oneOf(['CUSTOM_LAYOUT', 'SMART_LAYOUT', 'PRESENTATION_FOCUS', 'VIDEO_FOCUS']),
  notify_recording_is_on: boolean(),
  user_camera_cap: integer(0, 1000),
  meeting_camera_cap: integer(0, 10_000),
  presentation_url: text(2048, { format: 'http-url' }),
  presentation_description: text(1000),
  logout_url: text(2048, { format: 'http-url' }),
  logo: text(2048, { format: 'http-url' }),
} as const satisfies Record<string, TSchema>;

export const roomSettingDefaults = {
  anyone_can_start: false,
  guest_policy: 'always_accept',
  recordings_for: 'moderators',
  allow_start_stop_recording: true,
  end_when_no_moderator_timeout: 1,
  user_camera_cap: 3,
  meeting_camera_cap: 0,
} as const;
