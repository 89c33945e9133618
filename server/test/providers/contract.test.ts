import { type Sandbox, type SandboxOptions, startSandbox } from '@foyer/sandbox';
import { SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OpenMeeting, FullMeetingProvider, Participant } from '../../src/providers/meet.ts';
import { signedUrl } from '../../src/providers/bigbluebutton/request/signed-request.ts';
import {
  meetingPlan,
  createTestProvider,
  failureOf,
  followRedirects,
  providerSecret,
  providerTypes,
} from './fixtures.ts';

/** The guarantees of every adapter, over real HTTP. */
describe.each(providerTypes)('%s', (providerType) => {
  async function start(options: SandboxOptions = {}): Promise<{ sandbox: Sandbox; provider: FullMeetingProvider }> {
    const typeOptions = providerType === 'scalelite' ? { scalelite: {} } : {};
    const sandbox = await startSandbox({ secrets: [providerSecret], ...typeOptions, ...options });
    onTestFinished(() => sandbox.close());
    return { sandbox, provider: createTestProvider(providerType, sandbox.url) };
  }

  test('a meeting is opened once: the same plan finds it open, with the same ids', async () => {
    const { sandbox, provider } = await start();
    const first = await provider.open(meetingPlan());
    const second = await provider.open(meetingPlan());
    expect(first).toMatchObject({ meetingId: meetingPlan().meetingId, wasOpen: false });
    expect(second).toEqual({ ...first, wasOpen: true });
    expect(sandbox.control.state().meetings).toHaveLength(1);
  });

  test('concurrent openings return the same meeting', async () => {
    const { sandbox, provider } = await start();
    const opened = await Promise.all(Array.from({ length: 8 }, () => provider.open(meetingPlan())));
    expect(new Set(opened.map(({ internalId }) => internalId)).size).toBe(1);
    expect(sandbox.control.state().meetings).toHaveLength(1);
  });

  test.each([
    "Anna's room (1*2)!",
    '🎉 Fête & <b>Größe</b> "x" %41+%2B = ?#',
    '日本語 ~-_.',
    'tail ]]> &amp; &#39;',
    '007',
    'true',
  ])('the text %j arrives unchanged as a name and as a message', async (name) => {
    const { sandbox, provider } = await start();
    const opened = await provider.open(
      meetingPlan({
        name,
        settings: { welcome_message: name, moderator_only_message: name },
        metadata: { 'room-name': name },
      }),
    );
    await enter(provider, opened, { userId: name, fullName: name, role: 'attendee' }, sandbox);
    const [stored] = sandbox.control.state().meetings;
    expect(stored).toMatchObject({ name, settings: { welcome: name, moderatorOnlyMessage: name } });
    const state = await provider.state(opened.meetingId);
    expect(state.attendees).toEqual([{ userId: name, fullName: name, isModerator: false }]);
    expect(state.metadata['room-name']).toBe(name);
  });

  test.each([
    ['moderator', 'MODERATOR', false],
    ['attendee', 'VIEWER', false],
    ['guest', 'VIEWER', true],
  ] as const)('a %s joins with this role', async (role, expectedRole, guest) => {
    const { sandbox, provider } = await start();
    const opened = await provider.open(meetingPlan());
    const page = await followRedirects(provider.joinUrlFor(opened, { userId: 'u-1', fullName: 'Anna', role }));
    expect(page.pathname).toBe('/html5client/join');
    const [user] = usersOf(sandbox);
    expect(user).toMatchObject({ userID: 'u-1', fullName: 'Anna', role: expectedRole, guest, guestStatus: 'ALLOW' });
  });

  test.each([
    ['always_accept', 'ALLOW', 'ALLOW'],
    ['ask_moderator', 'ALLOW', 'WAIT'],
    ['always_deny', 'ALLOW', 'WAIT'],
  ] as const)('with the guest policy %s only guests have to wait', async (policy, attendeeStatus, guestStatus) => {
    const { sandbox, provider } = await start();
    const opened = await provider.open(meetingPlan({ settings: { guest_policy: policy } }));
    for (const role of ['moderator', 'attendee', 'guest'] as const)
      await followRedirects(provider.joinUrlFor(opened, { userId: role, fullName: role, role }));
    const statuses = Object.fromEntries(usersOf(sandbox).map((user) => [user.userID, user.guestStatus]));
    expect(statuses).toEqual({ moderator: 'ALLOW', attendee: attendeeStatus, guest: guestStatus });
  });

  test('a join of an earlier meeting with the same id is rejected', async () => {
    const { sandbox, provider } = await start({ now: () => Date.UTC(2025, 10, 20) });
    const oldMeeting = await provider.open(meetingPlan());
    sandbox.control.endMeeting(oldMeeting.meetingId);
    sandbox.control.advanceClock(60_000);
    const opened = await provider.open(meetingPlan());
    expect(opened).toMatchObject({ wasOpen: false });
    expect(opened.createdAtMs).toBeGreaterThan(oldMeeting.createdAtMs);
    await followRedirects(provider.joinUrlFor(oldMeeting, { userId: 'u-1', fullName: 'Anna', role: 'moderator' }));
    expect(usersOf(sandbox)).toEqual([]);
  });

  test('a participant whom the provider rejects is redirected to the error address with the reason', async () => {
    const { sandbox, provider } = await start();
    const opened = await provider.open(meetingPlan({ featureValues: { max_participants: '1' } }));
    await enter(provider, opened, { userId: 'u-1', fullName: 'Anna', role: 'moderator' }, sandbox);
    const refusalUrl = 'https://foyer.example/rooms/1?from=provider';
    const page = await followRedirects(
      provider.joinUrlFor(opened, { userId: 'u-2', fullName: 'Ben', role: 'attendee', refusalUrl }),
    );
    expect(`${page.origin}${page.pathname}`).toBe('https://foyer.example/rooms/1');
    expect(JSON.parse(page.searchParams.get('errors') ?? '')).toEqual([
      expect.objectContaining({ key: 'maxParticipantsReached' }),
    ]);
  });

  test('the webcam of a participant is only disabled on request', async () => {
    const { provider } = await start();
    const anna = { userId: 'u-1', fullName: 'Anna', role: 'moderator' } as const;
    const parametersOf = (participant: Participant) =>
      new URL(provider.joinUrlFor({ meetingId: 'demo', internalId: 'demo-1', createdAtMs: 1 }, participant))
        .searchParams;
    expect(parametersOf({ ...anna, mayShareWebcam: false }).get('userdata-bbb_enable_video')).toBe('false');
    expect([...parametersOf({ ...anna, mayShareWebcam: true }).keys()]).toEqual([...parametersOf(anna).keys()]);
    expect(parametersOf(anna).has('userdata-bbb_enable_video')).toBe(false);
  });

  test('a meeting that was never opened is reported as absent, not as a failure', async () => {
    const { provider } = await start();
    expect(await provider.state('nowhere')).toMatchObject({ meetingId: 'nowhere', exists: false, running: false });
    expect(await provider.isRunning('nowhere')).toBe(false);
    expect(await provider.states()).toEqual([]);
    await expect(provider.end('nowhere')).resolves.toBeUndefined();
  });

  test('a meeting without participants exists, but is not running', async () => {
    const { provider } = await start();
    const opened = await provider.open(meetingPlan());
    expect(await provider.state(opened.meetingId)).toMatchObject({
      exists: true,
      running: false,
      internalId: opened.internalId,
      createdAtMs: opened.createdAtMs,
      participantCount: 0,
      attendees: [],
    });
    expect(await provider.isRunning(opened.meetingId)).toBe(false);
  });

  test('the state lists the participants and their roles', async () => {
    const { sandbox, provider } = await start();
    const { meetingId: meetingID } = await provider.open(meetingPlan({ featureValues: { recording: 'true' } }));
    const { control } = sandbox;
    control.joinUser({
      meetingID,
      fullName: 'Anna',
      userID: 'u-1',
      role: 'MODERATOR',
      hasJoinedVoice: true,
      hasVideo: true,
    });
    control.joinUser({ meetingID, fullName: 'Ben', userID: 'u-2', isListeningOnly: true });
    const state = await provider.state(meetingID);
    expect(state).toMatchObject({
      running: true,
      participantCount: 2,
      moderatorCount: 1,
      listenerCount: 1,
      voiceParticipantCount: 1,
      videoCount: 1,
      recording: true,
      startedAtMs: expect.any(Number),
    });
    expect(state.attendees).toEqual([
      { userId: 'u-1', fullName: 'Anna', isModerator: true },
      { userId: 'u-2', fullName: 'Ben', isModerator: false },
    ]);
    expect(await provider.isRunning(meetingID)).toBe(true);
  });

  test('all meetings are listed in one request', async () => {
    const { sandbox, provider } = await start();
    const meetingIds = ['one', 'two', 'three'];
    for (const meetingId of meetingIds) await provider.open(meetingPlan({ meetingId }));
    sandbox.control.clearCalls();
    const states = await provider.states();
    expect(states.map(({ meetingId }) => meetingId).sort()).toEqual(meetingIds.toSorted());
    expect(sandbox.control.calls().map(({ call }) => call)).toEqual(['getMeetings']);
  });

  test('an ended meeting is reported as absent at once, although the provider lists it for a while', async () => {
    const { sandbox, provider } = await start();
    const { meetingId } = await provider.open(meetingPlan());
    sandbox.control.joinUser({ meetingID: meetingId, fullName: 'Anna' });
    await provider.end(meetingId);
    expect(await provider.state(meetingId)).toMatchObject({ exists: false, running: false });
    expect((await provider.states()).filter(({ exists }) => exists)).toEqual([]);
    await expect(provider.end(meetingId)).resolves.toBeUndefined();
  });

  test('a meeting of Foyer that was opened with other passwords is reused', async () => {
    const { provider } = await start();
    const first = await provider.open(meetingPlan({ passwordSeed: 'old' }));
    expect(await provider.open(meetingPlan({ passwordSeed: 'new' }))).toEqual({ ...first, wasOpen: true });
  });

  test('a meeting with the same id that another client opened is not joined', async () => {
    const { sandbox, provider } = await start();
    const signer = { apiUrl: sandbox.apiUrl, secret: providerSecret, algorithm: 'sha256' } as const;
    const foreignMeeting = { meetingID: 'contested', name: 'Theirs', attendeePW: 'theirs-1', moderatorPW: 'theirs-2' };
    expect((await fetch(signedUrl(signer, 'create', foreignMeeting))).ok).toBe(true);
    const failure = await failureOf(provider.open(meetingPlan({ meetingId: 'contested' })));
    expect(failure).toMatchObject({ kind: 'refused', messageKey: 'idNotUnique', providerId: 'provider-1' });
  });

  test('the end callback is called when the meeting ends', async () => {
    const { sandbox, provider } = await start();
    const endCallbackUrl = 'http://127.0.0.1:9/callbacks/unguessable';
    const { meetingId } = await provider.open(meetingPlan({ callbacks: { ended: endCallbackUrl } }));
    expect((await provider.state(meetingId)).metadata['endcallbackurl']).toBe(endCallbackUrl);
    await provider.end(meetingId);
    expect(sandbox.control.state().callbacks.map(({ url }) => url)).toEqual([expect.stringContaining(endCallbackUrl)]);
  });

  test('recordings are listed with their playback addresses, and only the requested ones', async () => {
    const { sandbox, provider } = await start();
    const plan = meetingPlan({
      name: 'Lecture',
      featureValues: { recording: 'true' },
      settings: { auto_start_recording: true },
    });
    const { meetingId, internalId } = await provider.open(plan);
    sandbox.control.joinUser({ meetingID: meetingId, fullName: 'Anna', role: 'MODERATOR' });
    sandbox.control.advanceClock(120_000);
    await provider.end(meetingId);
    sandbox.control.advanceClock(60_000);
    sandbox.control.finishRecordings();
    const [recording, ...otherRecordings] = await provider.recordings({ meetingIds: [meetingId, 'nowhere'] });
    expect(otherRecordings).toEqual([]);
    expect(recording).toMatchObject({
      meetingId,
      internalId,
      name: 'Lecture',
      state: 'published',
      published: true,
      participantCount: 1,
      playback: [{ type: 'presentation', url: expect.stringMatching(/^http/), lengthMinutes: 2 }],
    });
    expect(await provider.recordings({})).toEqual([recording]);
    expect(await provider.recordings({ recordingIds: [internalId] })).toEqual([recording]);
    expect(await provider.recordings({ recordingIds: [internalId.slice(0, 10)] })).toEqual([]);
    expect(await provider.recordings({ states: ['unpublished'] })).toEqual([]);
    sandbox.control.clearCalls();
    expect(await provider.recordings({ meetingIds: [] })).toEqual([]);
    expect(await provider.recordings({ states: [] })).toEqual([]);
    expect(sandbox.control.calls()).toEqual([]);
  });

  test('a recording is changed, published, unpublished and deleted, and is not found after deletion', async () => {
    const { sandbox, provider } = await start();
    const recordingId = sandbox.control.plantRecording({ meetingID: 'a-meeting', name: 'Lecture' });
    const readRecording = async () => (await provider.findRecordings([recordingId, 'nothing'])).recordings[0];
    await provider.updateRecording(recordingId, { name: "Anna's (1*)", 'label-a': 'b' });
    expect((await readRecording())?.metadata).toMatchObject({ name: "Anna's (1*)", 'label-a': 'b' });
    await provider.updateRecording(recordingId, { 'label-a': '' });
    expect((await readRecording())?.metadata).not.toHaveProperty('label-a');
    await provider.publishRecording(recordingId, false);
    expect(await readRecording()).toMatchObject({ state: 'unpublished', published: false });
    await provider.deleteRecording(recordingId);
    await provider.deleteRecording(recordingId);
    expect(['deleted', undefined]).toContain((await readRecording())?.state);
    expect(await failureOf(provider.updateRecording('nothing', { name: 'x' }))).toMatchObject({ kind: 'refused' });
    expect(await provider.textTracks('nothing')).toEqual([]);
  });

  test('a recording-ready callback is accepted if the provider signed it', async () => {
    const { sandbox, provider } = await start();
    const sign = (claims: Record<string, unknown>, secret: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
    const claims = { meeting_id: 'a-meeting', record_id: 'rec-1' };
    expect(await provider.readRecordingReady(await sign(claims, sandbox.secret))).toEqual({
      meetingId: 'a-meeting',
      recordingId: 'rec-1',
    });
    expect(await provider.readRecordingReady(await sign(claims, 'another'))).toBeNull();
    expect(await provider.readRecordingReady(await sign({ record_id: 'rec-1' }, sandbox.secret))).toBeNull();
    expect(await provider.readRecordingReady('')).toBeNull();
    expect(await provider.readRecordingReady('x'.repeat(10_000))).toBeNull();
  });

  test('a check reports the server, its version and whether the secret is accepted', async () => {
    const { sandbox, provider } = await start();
    expect(await provider.check()).toEqual({
      reachable: true,
      apiVersion: '2.0',
      secretAccepted: true,
      latencyMs: expect.any(Number),
      dateMs: expect.any(Number),
      problem: null,
    });
    expect(await provider.version()).toBe('2.0');
    const wronglyConfigured = createTestProvider(providerType, sandbox.url, { secret: 'wrong' });
    expect(await wronglyConfigured.check()).toMatchObject({
      reachable: true,
      secretAccepted: false,
      problem: expect.any(String),
    });
  });

  test('a wrong secret is distinguished from other errors', async () => {
    const { sandbox } = await start();
    const provider = createTestProvider(providerType, sandbox.url, { secret: 'wrong-secret-of-ours' });
    for (const call of [provider.open(meetingPlan()), provider.state('x'), provider.states(), provider.end('x')]) {
      const failure = await failureOf(call);
      expect(failure).toMatchObject({ kind: 'checksum', messageKey: 'checksumError' });
      expect(JSON.stringify([failure.message, failure])).not.toContain('wrong-secret-of-ours');
    }
  });

  test.each(['sha1', 'sha256', 'sha512'])('requests can be signed with %s', async (algorithm) => {
    const { sandbox } = await start();
    const provider = createTestProvider(providerType, sandbox.url, { algorithm });
    const opened = await provider.open(meetingPlan({ name: "Anna's" }));
    await enter(provider, opened, { userId: 'u-1', fullName: "O'Hara", role: 'guest' }, sandbox);
    expect(await provider.isRunning(opened.meetingId)).toBe(true);
  });

  test('the address can contain the whole path of the API, a part of it, or no path', async () => {
    const { sandbox } = await start();
    for (const path of ['', '/', '/bigbluebutton', '/bigbluebutton/', '/bigbluebutton/api', '/bigbluebutton/api/'])
      expect(await createTestProvider(providerType, `${sandbox.url}${path}`).check()).toMatchObject({
        secretAccepted: true,
      });
  });

  test('the server accepts every setting and limit of a room', async () => {
    const { sandbox, provider } = await start();
    await provider.open(
      meetingPlan({
        featureValues: { max_participants: '12', max_duration: '90', webcams: 'false' },
        settings: allSettings,
      }),
    );
    const [meeting] = sandbox.control.state().meetings;
    expect(meeting?.settings).toMatchObject({
      maxParticipants: 12,
      duration: 90,
      moderatorOnlyMessage: 'Psst',
      meetingLayout: 'VIDEO_FOCUS',
      lockSettingsDisableCam: true,
      userCameraCap: 2,
      endWhenNoModeratorDelayInMinutes: 7,
    });
  });
});

test('texts that are too long for a URL are sent with POST to a server', async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  const provider = createTestProvider('bigbluebutton', sandbox.url);
  const longText = "Anna's (1*2)! 🎉 ".repeat(1900).trim();
  const plan = meetingPlan({ settings: { welcome_message: longText, moderator_only_message: longText } });
  const first = await provider.open(plan);
  expect(await provider.open(plan)).toEqual({ ...first, wasOpen: true });
  expect(sandbox.control.calls().map(({ call, method, query }) => [call, method, query])).toEqual([
    ['create', 'POST', ''],
    ['create', 'POST', ''],
  ]);
  expect(sandbox.control.state().meetings[0]?.settings).toMatchObject({
    welcome: longText,
    moderatorOnlyMessage: longText,
  });
});

test('a server accepts sha384, which is never used with a load balancer', async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  expect(await createTestProvider('bigbluebutton', sandbox.url, { algorithm: 'sha384' }).check()).toMatchObject({
    secretAccepted: true,
  });
  expect(() => createTestProvider('scalelite', sandbox.url, { algorithm: 'sha384' })).toThrow(/checksum algorithm/);
});

const allSettings = {
  moderator_only_message: 'Psst',
  auto_start_recording: true,
  allow_start_stop_recording: false,
  webcams_only_for_moderator: true,
  banner_text: 'Banner',
  banner_color: '#00ff00',
  mute_on_start: true,
  allow_mods_to_unmute_users: true,
  allow_mods_to_eject_cameras: true,
  disable_cam: true,
  disable_mic: true,
  disable_private_chat: true,
  disable_public_chat: true,
  disable_notes: true,
  welcome_message: 'Welcome',
  camera_as_content: false,
  external_videos: false,
  hide_viewers_cursor: true,
  hide_user_list: true,
  end_when_no_moderator: true,
  end_when_no_moderator_timeout: 7,
  meeting_layout: 'VIDEO_FOCUS',
  notify_recording_is_on: true,
  user_camera_cap: 2,
  meeting_camera_cap: 20,
  presentation_url: 'https://files.example/upload',
  presentation_description: 'From our files',
  logout_url: 'https://example.com/bye',
  logo: 'https://example.com/logo.png',
  guest_policy: 'ask_moderator',
};

async function enter(
  provider: FullMeetingProvider,
  meeting: OpenMeeting,
  participant: Participant,
  { control }: Sandbox,
): Promise<void> {
  const page = await followRedirects(provider.joinUrlFor(meeting, participant));
  control.joinUser({ sessionToken: page.searchParams.get('sessionToken') ?? '' });
}

function usersOf({ control }: Sandbox) {
  return control.state().meetings.flatMap(({ users }) => users);
}
