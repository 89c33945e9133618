import { features as catalogue } from '@foyer/contract/resources/packages/features.ts';
import { meetRoomSettings } from '@foyer/contract/resources/rooms/room-settings.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MeetingPlan } from '../meet.ts';
import { createParameters, meetingName, passwords } from './create-parameters.ts';

type Values = Readonly<Record<string, string>>;

const everything = catalogue.map(({ code, valueType }) => [code, valueType === 'flag' ? 'true' : 'unlimited'] as const);

function plan(features: Values = {}, settings: MeetingPlan['settings'] = {}, changes: Partial<MeetingPlan> = {}) {
  return {
    meetingId: 'room-1',
    serviceType: 'meet' as const,
    name: 'Demo',
    passwordSeed: 'seed',
    features: new Map([...everything, ...Object.entries(features)]),
    settings,
    metadata: {},
    ...changes,
  };
}

test('a room with all features and without settings is created with the fewest parameters', () => {
  expect(createParameters(plan())).toEqual({
    meetingID: 'room-1',
    name: 'Demo',
    attendeePW: expect.stringMatching(/^[\w-]{32}$/),
    moderatorPW: expect.stringMatching(/^[\w-]{32}$/),
    record: 'true',
    autoStartRecording: 'false',
    allowStartStopRecording: 'true',
    guestPolicy: 'ALWAYS_ACCEPT',
    'meta_foyer-meeting': 'room-1',
  });
});

const settingTable: readonly (readonly [
  setting: string,
  value: unknown,
  parameter: string,
  sent: string | undefined,
])[] = [
  ['moderator_only_message', 'Psst <b>', 'moderatorOnlyMessage', 'Psst <b>'],
  ['welcome_message', 'Hello', 'welcome', 'Hello'],
  ['welcome_message', '', 'welcome', undefined],
  ['auto_start_recording', true, 'autoStartRecording', 'true'],
  ['auto_start_recording', 'true', 'autoStartRecording', 'false'],
  ['allow_start_stop_recording', false, 'allowStartStopRecording', 'false'],
  ['webcams_only_for_moderator', true, 'webcamsOnlyForModerator', 'true'],
  ['banner_text', 'Maintenance', 'bannerText', 'Maintenance'],
  ['banner_color', '#FF0000', 'bannerColor', '#FF0000'],
  ['mute_on_start', true, 'muteOnStart', 'true'],
  ['mute_on_start', false, 'muteOnStart', 'false'],
  ['mute_on_start', null, 'muteOnStart', undefined],
  ['allow_mods_to_unmute_users', true, 'allowModsToUnmuteUsers', 'true'],
  ['allow_mods_to_eject_cameras', true, 'allowModsToEjectCameras', 'true'],
  ['disable_cam', true, 'lockSettingsDisableCam', 'true'],
  ['disable_cam', true, 'lockSettingsLockOnJoin', 'true'],
  ['disable_cam', false, 'lockSettingsLockOnJoin', undefined],
  ['disable_mic', true, 'lockSettingsDisableMic', 'true'],
  ['disable_private_chat', true, 'lockSettingsDisablePrivateChat', 'true'],
  ['disable_public_chat', true, 'lockSettingsDisablePublicChat', 'true'],
  ['disable_notes', true, 'lockSettingsDisableNotes', 'true'],
  ['camera_as_content', false, 'disabledFeatures', 'cameraAsContent'],
  ['camera_as_content', true, 'disabledFeatures', undefined],
  ['external_videos', false, 'disabledFeatures', 'externalVideos'],
  ['external_videos', true, 'disabledFeatures', undefined],
  ['hide_viewers_cursor', true, 'lockSettingsHideViewersCursor', 'true'],
  ['hide_user_list', true, 'lockSettingsHideUserList', 'true'],
  ['end_when_no_moderator', true, 'endWhenNoModerator', 'true'],
  ['end_when_no_moderator_timeout', 5, 'endWhenNoModeratorDelayInMinutes', '5'],
  ['meeting_layout', 'PRESENTATION_FOCUS', 'meetingLayout', 'PRESENTATION_FOCUS'],
  ['notify_recording_is_on', true, 'notifyRecordingIsOn', 'true'],
  ['user_camera_cap', 0, 'userCameraCap', '0'],
  ['meeting_camera_cap', 20, 'meetingCameraCap', '20'],
  ['presentation_url', 'https://files.example/', 'presentationUploadExternalUrl', 'https://files.example/'],
  ['presentation_description', 'Our files', 'presentationUploadExternalDescription', 'Our files'],
  ['logout_url', 'https://example.com/bye', 'logoutURL', 'https://example.com/bye'],
  ['logo', 'https://example.com/logo.png', 'logo', 'https://example.com/logo.png'],
  ['guest_policy', 'always_accept', 'guestPolicy', 'ALWAYS_ACCEPT'],
  ['guest_policy', 'ask_moderator', 'guestPolicy', 'ALWAYS_ACCEPT_AUTH'],
  ['guest_policy', 'always_deny', 'guestPolicy', 'ALWAYS_ACCEPT_AUTH'],
];

test.each(settingTable)('the setting %s = %j is sent as %s = %j', (setting, value, parameter, sent) => {
  expect(createParameters(plan({}, { [setting]: value }))[parameter]).toBe(sent);
});

test('every setting of meetings is sent', () => {
  const tested = new Set(settingTable.map(([setting]) => setting));
  expect(Object.keys(meetRoomSettings).filter((setting) => !tested.has(setting))).toEqual([]);
});

test('settings that the provider does not know are not sent', () => {
  const strange = {
    checksum: 'x',
    meetingID: 'other',
    attendeePW: 'x',
    hero_image: 'https://a.example',
    maxParticipants: '0',
  };
  expect(createParameters(plan({}, strange))).toEqual(createParameters(plan()));
});

test.each([
  ['max_participants', '1', 'maxParticipants', '1'],
  ['max_participants', '250', 'maxParticipants', '250'],
  ['max_participants', 'unlimited', 'maxParticipants', undefined],
  ['max_duration', '60', 'duration', '60'],
  ['max_duration', 'unlimited', 'duration', undefined],
])('the limit %s = %s is sent as %s = %s', (feature, value, parameter, sent) => {
  expect(createParameters(plan({ [feature]: value }))[parameter]).toBe(sent);
});

test.each(['max_participants', 'max_duration'])(
  '%s of 0 or an invalid limit is rejected, since the server would read it as unlimited',
  (feature) => {
    for (const value of ['0', '-1', '', 'many', '00', '1.5'])
      expect(() => createParameters(plan({ [feature]: value }))).toThrow(RangeError);
  },
);

test('a missing limit is unlimited, a missing flag is off', () => {
  const bare = createParameters({ ...plan(), features: new Map() });
  expect(bare).not.toHaveProperty('maxParticipants');
  expect(bare).not.toHaveProperty('duration');
  expect(bare).toMatchObject({ record: 'false', allowStartStopRecording: 'false' });
  expect(bare['disabledFeatures']?.split(',')).toEqual(expect.arrayContaining(['screenshare', 'polls', 'chat']));
});

test('recording never starts without the feature', () => {
  const settings = { auto_start_recording: true, allow_start_stop_recording: true };
  expect(createParameters(plan({ recording: 'false' }, settings))).toMatchObject({
    record: 'false',
    autoStartRecording: 'false',
    allowStartStopRecording: 'false',
  });
});

test.each([
  ['screen_sharing', 'screenshare'],
  ['webcams', 'cameraAsContent'],
  ['private_chat', 'privateChat'],
  ['polls', 'polls'],
  ['shared_notes', 'sharedNotes'],
  ['presentation_upload', 'presentation'],
  ['breakout_rooms', 'breakoutRooms'],
  ['virtual_backgrounds', 'virtualBackgrounds,customVirtualBackgrounds'],
  ['captions', 'captions,liveTranscription'],
  ['learning_dashboard', 'learningDashboard,learningDashboardDownloadSessionData'],
  ['external_videos', 'externalVideos'],
  ['raise_hand', 'raiseHand'],
  ['layouts', 'layouts'],
])('without %s the server switches off %s and nothing else', (feature, disabled) => {
  expect(createParameters(plan({ [feature]: 'false' }))['disabledFeatures']).toBe(disabled);
});

test('without the webcam feature webcams are locked, regardless of the setting', () => {
  expect(createParameters(plan({ webcams: 'false' }, { disable_cam: false }))).toMatchObject({
    lockSettingsDisableCam: 'true',
    lockSettingsLockOnJoin: 'true',
  });
});

test('public chat can be locked while private chat stays; without both, chat is disabled', () => {
  const withoutPublic = createParameters(plan({ public_chat: 'false' }));
  expect(withoutPublic).toMatchObject({ lockSettingsDisablePublicChat: 'true' });
  expect(withoutPublic).not.toHaveProperty('disabledFeatures');
  const withoutBoth = createParameters(plan({ public_chat: 'false', private_chat: 'false' }));
  expect(withoutBoth['disabledFeatures']).toBe('privateChat,chat');
});

test('external files are disabled without the upload feature', () => {
  const settings = { presentation_url: 'https://files.example/', presentation_description: 'Ours' };
  const parameters = createParameters(plan({ presentation_upload: 'false' }, settings));
  expect(parameters).not.toHaveProperty('presentationUploadExternalUrl');
  expect(parameters).not.toHaveProperty('presentationUploadExternalDescription');
});

test('a feature that both the setting and the subscription switch off is sent once', () => {
  const parameters = createParameters(plan({ external_videos: 'false' }, { external_videos: false }));
  expect(parameters['disabledFeatures']).toBe('externalVideos');
});

test.each([
  ['A', 'A.'],
  ['', '..'],
  ['  A  ', 'A.'],
  ['AB', 'AB'],
  ['🎉', '🎉'],
  ['a'.repeat(256), 'a'.repeat(256)],
  ['a'.repeat(257), 'a'.repeat(256)],
  [`${'a'.repeat(255)}🎉`, 'a'.repeat(255)],
  [`${'a'.repeat(254)}🎉b`, `${'a'.repeat(254)}🎉`],
  ['\ud83c broken', '\ufffd broken'],
])('the name %j is sent as %j', (name, sent) => {
  expect(meetingName(name)).toBe(sent);
});

test('every name becomes well-formed text of 2 to 256 UTF-16 units', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const sent = meetingName(name);
      expect(sent.length).toBeGreaterThanOrEqual(2);
      expect(sent.length).toBeLessThanOrEqual(256);
      expect(sent.isWellFormed()).toBe(true);
    }),
  );
});

test('a meeting always has the same passwords, and no other meeting has them', () => {
  const first = passwords({ passwordSeed: 'seed', meetingId: 'room-1' });
  expect(passwords({ passwordSeed: 'seed', meetingId: 'room-1' })).toEqual(first);
  expect(first.attendeePW).not.toBe(first.moderatorPW);
  for (const other of [
    passwords({ passwordSeed: 'seed', meetingId: 'room-2' }),
    passwords({ passwordSeed: 'other', meetingId: 'room-1' }),
  ]) {
    expect(other.attendeePW).not.toBe(first.attendeePW);
    expect(other.moderatorPW).not.toBe(first.moderatorPW);
  }
});

test('metadata and the callback are sent, and a key that the server would drop is an error', () => {
  const metadata = { 'room-id': '007', Origin: 'Foyer' };
  expect(createParameters(plan({}, {}, { metadata, callbacks: { ended: 'https://foyer.example/c/1' } }))).toMatchObject(
    {
      'meta_room-id': '007',
      meta_Origin: 'Foyer',
      meta_endCallbackUrl: 'https://foyer.example/c/1',
      'meta_foyer-meeting': 'room-1',
    },
  );
  for (const key of ['room_id', '1st', '', 'a b', '-a'])
    expect(() => createParameters(plan({}, {}, { metadata: { [key]: 'x' } }))).toThrow(RangeError);
});

test('callers cannot set the metadata that marks our meetings', () => {
  const parameters = createParameters(plan({}, {}, { metadata: { 'foyer-meeting': 'other' } }));
  expect(parameters['meta_foyer-meeting']).toBe('room-1');
});
