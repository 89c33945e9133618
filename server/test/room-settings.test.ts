import { features } from '@foyer/contract/resources/packages/features.ts';
import { meetRoomSettings, roomSettings } from '@foyer/contract/resources/rooms/room-settings.ts';
import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom, openSandbox, refusalOf } from './factories.ts';

let api: TestApi;
let sandbox: Sandbox;

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
});
afterAll(async () => {
  await sandbox.close();
  await api.close();
});

const settingSchemas = { ...roomSettings, ...meetRoomSettings };

test('every known setting is validated by its type, and all errors are reported together', async () => {
  const wrong = Object.fromEntries(
    Object.entries(settingSchemas).map(([name, schema]) => [
      name,
      (schema as { type: string }).type === 'string' ? 17 : 'seven',
    ]),
  );
  const { room } = await makeRoom(api);
  const refusal = await refusalOf(
    api.admin.updateRoom({ params: { room_id: room.id }, body: { room_settings: { ...wrong, unknown: 17 } } }),
  );
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors).toSorted()).toEqual(
    Object.keys(settingSchemas)
      .map((name) => `room_settings.${name}`)
      .toSorted(),
  );
});

/** For each setting: a value, and the name and value of the parameter that the create call must have. */
const expectedParameters: Record<
  keyof typeof meetRoomSettings,
  readonly [value: unknown, parameter: string, sent: string]
> = {
  moderator_only_message: ['For moderators', 'moderatorOnlyMessage', 'For moderators'],
  auto_start_recording: [true, 'autoStartRecording', 'true'],
  allow_start_stop_recording: [false, 'allowStartStopRecording', 'false'],
  webcams_only_for_moderator: [true, 'webcamsOnlyForModerator', 'true'],
  banner_text: ['Exam <today>', 'bannerText', 'Exam <today>'],
  banner_color: ['#0a141e', 'bannerColor', '#0a141e'],
  mute_on_start: [true, 'muteOnStart', 'true'],
  allow_mods_to_unmute_users: [true, 'allowModsToUnmuteUsers', 'true'],
  allow_mods_to_eject_cameras: [true, 'allowModsToEjectCameras', 'true'],
  disable_cam: [true, 'lockSettingsDisableCam', 'true'],
  disable_mic: [true, 'lockSettingsDisableMic', 'true'],
  disable_private_chat: [true, 'lockSettingsDisablePrivateChat', 'true'],
  disable_public_chat: [true, 'lockSettingsDisablePublicChat', 'true'],
  disable_notes: [true, 'lockSettingsDisableNotes', 'true'],
  welcome_message: ['Welcome & hello', 'welcome', 'Welcome & hello'],
  camera_as_content: [false, 'disabledFeatures', 'cameraAsContent'],
  external_videos: [false, 'disabledFeatures', 'externalVideos'],
  hide_viewers_cursor: [true, 'lockSettingsHideViewersCursor', 'true'],
  hide_user_list: [true, 'lockSettingsHideUserList', 'true'],
  end_when_no_moderator: [true, 'endWhenNoModerator', 'true'],
  end_when_no_moderator_timeout: [7, 'endWhenNoModeratorDelayInMinutes', '7'],
  meeting_layout: ['VIDEO_FOCUS', 'meetingLayout', 'VIDEO_FOCUS'],
  notify_recording_is_on: [true, 'notifyRecordingIsOn', 'true'],
  user_camera_cap: [2, 'userCameraCap', '2'],
  meeting_camera_cap: [20, 'meetingCameraCap', '20'],
  presentation_url: [
    'https://example.com/slides.pdf',
    'presentationUploadExternalUrl',
    'https://example.com/slides.pdf',
  ],
  presentation_description: ['Our slides', 'presentationUploadExternalDescription', 'Our slides'],
  logout_url: ['https://example.com/bye', 'logoutURL', 'https://example.com/bye'],
  logo: ['https://example.com/logo.png', 'logo', 'https://example.com/logo.png'],
};

async function readCreateParameters(settings: Record<string, unknown>): Promise<Record<string, string>> {
  const provider = (await makeProvider(api, sandbox)).id;
  const allFeatures = Object.fromEntries(
    features.map(({ code, valueType }) => [code, valueType === 'flag' ? 'true' : 'unlimited']),
  );
  const { room } = await makeRoom(api, { provider, features: allFeatures, room: { room_settings: settings } });
  const params = { room_id: room.id };
  await api.admin.joinRoom({ params, body: { role: 'moderator', name: 'Ada' } });
  const calls = sandbox.control.calls().filter(({ call }) => call === 'create');
  return calls.at(-1)?.parameters ?? {};
}

test('every setting of a meeting is sent to the meeting server as the parameter that the server uses', async () => {
  const sent = await readCreateParameters(
    Object.fromEntries(Object.entries(expectedParameters).map(([name, [value]]) => [name, value])),
  );
  for (const [name, [, parameter, value]] of Object.entries(expectedParameters)) {
    const values = parameter === 'disabledFeatures' ? sent[parameter]?.split(',') : [sent[parameter]];
    expect(values, name).toContain(value);
  }
  expect(sent['lockSettingsLockOnJoin']).toBe('true');
});

test('without settings the defaults apply, and nothing else is sent', async () => {
  const sent = await readCreateParameters({});
  expect(sent).toMatchObject({
    allowStartStopRecording: 'true',
    autoStartRecording: 'false',
    endWhenNoModeratorDelayInMinutes: '1',
    userCameraCap: '3',
    meetingCameraCap: '0',
    guestPolicy: 'ALWAYS_ACCEPT',
  });
  const parameters = Object.values(expectedParameters).map(([, parameter]) => parameter);
  const defaultNames = ['allowStartStopRecording', 'autoStartRecording', 'userCameraCap', 'meetingCameraCap'];
  const otherNames = parameters.filter((name) => sent[name] !== undefined && !defaultNames.includes(name));
  expect(otherNames).toEqual(['endWhenNoModeratorDelayInMinutes']);
});
