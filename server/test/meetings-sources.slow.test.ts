import type { Sandbox } from '@foyer/sandbox';
import { createHash, createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeProvider } from './factories.ts';
import { followJoinUrl, type RoomFixture, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterEach(() => {
  harness.sandbox.control.clearDisturbances();
  harness.sandbox.control.clearFaults();
});
afterAll(() => harness.close());

/**
 * Three participants in a room for 10 minutes: Carla all the time, Anna for 4:29, Berta for 5 and, after 3 minutes, for
 * another 2. Polled every minute, like the job.
 */
async function playMeeting(target: MeetingHarness, fixture: RoomFixture, { polls = true } = {}) {
  const { api, sandbox } = target;
  const pass = async (seconds: number) => {
    api.clock.advance({ seconds });
    await target.deliverCallbacks();
  };
  const minute = async () => {
    await pass(30);
    if (polls) await target.sync();
    await pass(30);
  };
  await target.enter(fixture, 'Carla');
  const anna = await target.enter(fixture, 'Anna');
  await target.deliverCallbacks();
  const berta = await target.enter(fixture, 'Berta', 'attendee');
  await target.deliverCallbacks();
  if (polls) await target.sync();
  for (let count = 0; count < 4; count++) await minute();
  await pass(29);
  sandbox.control.leaveUser(anna);
  await pass(31);
  sandbox.control.leaveUser(berta);
  for (let count = 0; count < 3; count++) await minute();
  const returningUser = sandbox.control.joinUser({
    meetingID: fixture.room.uuid,
    userID: berta.userID,
    fullName: 'Berta',
  });
  expect(returningUser.presence).toBe('joined');
  await target.deliverCallbacks();
  for (let count = 0; count < 2; count++) await minute();
  sandbox.control.endMeeting(fixture.room.uuid);
  await pass(4);
  await pass(10);
  await target.sync();
  await target.deliverCallbacks();
}

/** Reads the final state of the meeting and its participants. */
async function readOutcome(target: MeetingHarness, fixture: RoomFixture) {
  const [meeting] = await target.meetings(fixture);
  if (!meeting) throw new Error('there was no meeting');
  const people = await target.participants(meeting);
  return {
    state: meeting.state,
    minutes: meeting.participant_minutes,
    charged: await target.minutesUsed(fixture),
    peak: meeting.peak_participants,
    people: people.map(({ name, stays }) => [name, ...stays.map(({ minutes }) => minutes)]),
  };
}

const exactOutcome = {
  state: 'ended',
  minutes: 10 + 5 + 5 + 2,
  charged: 10 + 5 + 5 + 2,
  peak: 3,
  people: [
    ['Carla', 10],
    ['Anna', 5],
    ['Berta', 5, 2],
  ],
};

describe('the final attendance', () => {
  test('is exact with callbacks, polls and the attendance record', async () => {
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture);
    expect(await readOutcome(harness, fixture)).toEqual(exactOutcome);
  });

  test('is exact without polls, except for the end', async () => {
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture, { polls: false });
    expect(await readOutcome(harness, fixture)).toEqual(exactOutcome);
  });

  test.each(['hook', 'end', 'analytics'] as const)('is exact if every %s callback arrives twice', async (callback) => {
    harness.sandbox.control.disturbCallbacks({ kind: 'twice', callback, times: null });
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture);
    expect(await readOutcome(harness, fixture)).toEqual(exactOutcome);
  });

  test.each(['hook', 'end'] as const)('is exact without %s callbacks', async (callback) => {
    harness.sandbox.control.disturbCallbacks({ kind: 'lost', callback, times: null });
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture);
    expect(await readOutcome(harness, fixture)).toEqual(exactOutcome);
  });

  test('is exact without the attendance record', async () => {
    harness.sandbox.control.disturbCallbacks({ kind: 'lost', callback: 'analytics', times: null });
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture);
    expect(await readOutcome(harness, fixture)).toEqual(exactOutcome);
  });

  test('contains every participant with polls only, and differs by at most one minute per stay', async () => {
    harness.sandbox.control.disturbCallbacks({ kind: 'lost', callback: '*', times: null });
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture);
    const outcomeInFoyer = await readOutcome(harness, fixture);
    expect(outcomeInFoyer).toMatchObject({ state: 'ended', peak: 3 });
    expect(outcomeInFoyer.charged).toBe(outcomeInFoyer.minutes);
    expect(Math.abs(outcomeInFoyer.minutes - exactOutcome.minutes)).toBeLessThanOrEqual(3);
    expect(outcomeInFoyer.people.map(([name, ...stays]) => [name, stays.length])).toEqual([
      ['Carla', 1],
      ['Anna', 1],
      ['Berta', 2],
    ]);
  });

  test('does not change if all callbacks are repeated in reverse order after the end', async () => {
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture);
    const callbacks = harness.sandbox.control
      .state()
      .callbacks.filter(({ sent }) => sent !== null)
      .toReversed();
    for (const { id } of callbacks) harness.sandbox.control.replayCallback(id);
    await harness.deliverCallbacks();
    expect(await readOutcome(harness, fixture)).toEqual(exactOutcome);
  });

  test('differs by at most one minute per stay if callbacks are forged, and forged callbacks get a 401', async () => {
    harness.sandbox.control.disturbCallbacks({ kind: 'forged', callback: '*', times: null });
    const fixture = await harness.createTestRoom();
    await playMeeting(harness, fixture);
    const outcomeInFoyer = await readOutcome(harness, fixture);
    expect(Math.abs(outcomeInFoyer.minutes - exactOutcome.minutes)).toBeLessThanOrEqual(3);
    const callbacks = harness.sandbox.control.state().callbacks;
    const forgedCallbacks = callbacks.filter(
      ({ kind, meetingId }) => kind !== 'end' && meetingId === fixture.room.uuid,
    );
    expect(forgedCallbacks.length).toBeGreaterThan(3);
    expect(
      forgedCallbacks.flatMap(({ attempts }) => attempts.map(({ status }) => status)).every((status) => status === 401),
    ).toBe(true);
  });

  test.each([-7_200_000, 3_000, 86_400_000])('is exact if the clock of the server is %i ms ahead', async (aheadMs) => {
    const separateHarness = await startMeetingHarness({ aheadMs });
    onTestFinished(() => separateHarness.close());
    const fixture = await separateHarness.createTestRoom();
    await playMeeting(separateHarness, fixture);
    expect(await readOutcome(separateHarness, fixture)).toEqual(exactOutcome);
  });
});

/** The callback addresses that the provider received for the meeting. */
function addressesOf(sandbox: Sandbox, fixture: RoomFixture): { ended: string; attendance: string } {
  const meeting = sandbox.control.state().meetings.findLast(({ meetingID }) => meetingID === fixture.room.uuid);
  return {
    ended: meeting?.metadata['endcallbackurl'] ?? '',
    attendance: meeting?.metadata['analytics-callback-url'] ?? '',
  };
}

test('an end that the provider does not confirm changes nothing, and the provider is told to repeat the call', async () => {
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture);
  await harness.sync();
  const { ended } = addressesOf(harness.sandbox, fixture);
  const answer = await fetch(`${ended}?meetingID=${fixture.room.uuid}&recordingmarks=false`);
  expect(answer.status).toBe(503);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open', participant_count: 1 }]);
  harness.sandbox.control.endMeeting(fixture.room.uuid);
  expect((await fetch(ended, { method: 'POST', body: 'anything at all' })).status).toBe(204);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'ended', end_reason: 'ended' }]);
  expect((await fetch(ended)).status).toBe(204);
});

test('concurrent end callbacks cause few requests to the provider and one end', async () => {
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture);
  await harness.sync();
  const { ended } = addressesOf(harness.sandbox, fixture);
  harness.sandbox.control.endMeeting(fixture.room.uuid);
  harness.sandbox.control.clearCalls();
  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(ended)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 204));
  expect(harness.sandbox.control.calls().filter(({ call }) => call === 'getMeetingInfo').length).toBeLessThan(20);
  const { rows } = await harness.api.app.connection.pool.query(
    `select count(*)::int as count from audit_entries
     where action = 'meeting.ended' and resource_id in (select id from meetings where room_id = $1)`,
    [fixture.room.uuid],
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test('invalid callback addresses get a 404 that reveals nothing about the meeting', async () => {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture);
  await harness.sync();
  const { ended, attendance } = addressesOf(sandbox, fixture);
  const [meeting] = await harness.meetings(fixture);
  const token = ended.slice(-43);
  const otherRoom = await harness.createTestRoom();
  await harness.enter(otherRoom);
  const [otherMeeting] = await harness.meetings(otherRoom);
  const invalidUrls = [
    `${api.url}/callbacks/meeting-ended/${meeting?.id}.${'A'.repeat(43)}`,
    `${api.url}/callbacks/meeting-ended/${meeting?.id}`,
    `${api.url}/callbacks/meeting-ended/${otherMeeting?.id}.${token}`,
    `${api.url}/callbacks/meeting-ended/${meeting?.uuid}.${token}`,
    attendance.replace('meeting-attendance', 'meeting-ended'),
    `${ended}x`,
    ended.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
  ];
  sandbox.control.clearCalls();
  for (const url of invalidUrls) {
    const answer = await fetch(url);
    expect([url, answer.status]).toEqual([url, 404]);
    expect(await answer.text()).not.toContain(meeting?.id);
  }
  expect(sandbox.control.calls()).toEqual([]);
  expect(api.log()).not.toContain(token);
});

describe('a signed callback', () => {
  function eventBody(fixture: RoomFixture, internalId: string, userId: string, atMs: number, id = 'user-left') {
    const event = {
      data: {
        type: 'event',
        id,
        attributes: {
          meeting: { 'internal-meeting-id': internalId, 'external-meeting-id': fixture.room.uuid },
          user: { 'external-user-id': userId, name: 'X', role: 'VIEWER' },
        },
        event: { ts: atMs },
      },
    };
    return new URLSearchParams({ domain: 'x', event: JSON.stringify(event), timestamp: String(atMs) }).toString();
  }

  async function createTestMeeting() {
    const fixture = await harness.createTestRoom();
    const user = await harness.enter(fixture, 'Anna');
    await harness.sync();
    const internalId =
      harness.sandbox.control.state().meetings.find(({ meetingID }) => meetingID === fixture.room.uuid)
        ?.internalMeetingID ?? '';
    const hook = harness.sandbox.control.state().hooks.at(-1)?.callbackUrl ?? '';
    harness.api.clock.advance({ seconds: 10 });
    return { fixture, user, internalId, hook };
  }

  const post = async (url: string, body: string, headers: Record<string, string> = {}) =>
    (
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      })
    ).status;

  test.each(['sha1', 'sha256', 'sha384', 'sha512'])(
    'is verified over the bytes of the body (%s)',
    async (algorithm) => {
      const { fixture, user, internalId, hook } = await createTestMeeting();
      const body = eventBody(fixture, internalId, user.userID, harness.api.clock.nowMs());
      const sign = (text: string) =>
        createHash(algorithm).update(`${hook}${text}${harness.sandbox.secret}`).digest('hex');
      expect(await post(`${hook}?checksum=${sign(`${body}&x=1`)}`, body)).toBe(401);
      expect(await post(`${hook}?checksum=`, body)).toBe(401);
      expect(await post(hook, body)).toBe(401);
      expect(await post(hook, body, { authorization: 'Bearer wrong' })).toBe(401);
      expect(await harness.meetings(fixture)).toMatchObject([{ participant_count: 1 }]);
      expect(await post(`${hook}?checksum=${sign(body)}`, body)).toBe(204);
      expect(await harness.meetings(fixture)).toMatchObject([{ participant_count: 0 }]);
    },
  );

  test('is accepted with the secret as a bearer token, only for existing meetings and plausible people and times', async () => {
    const { fixture, user, internalId, hook } = await createTestMeeting();
    const authorization = { authorization: `Bearer ${harness.sandbox.secret}` };
    const now = harness.api.clock.nowMs();
    for (const body of [
      eventBody(fixture, `${internalId}0`, user.userID, now),
      eventBody(fixture, internalId, '', now),
      eventBody(fixture, internalId, user.userID, Number.NaN),
      eventBody(fixture, internalId, user.userID, -1),
      eventBody(fixture, internalId, user.userID, now - 400_000),
      'event=%7Bbroken',
      'event=null',
      '',
    ]) {
      expect([body, await post(hook, body, authorization)]).toEqual([body, 204]);
    }
    expect(await harness.meetings(fixture)).toMatchObject([{ participant_count: 1, state: 'open' }]);
    expect(await post(hook, eventBody(fixture, internalId, user.userID, now), authorization)).toBe(204);
    expect(await harness.meetings(fixture)).toMatchObject([{ participant_count: 0 }]);
  });

  test("an attendance record is accepted once, only for its own meeting, and with the server's algorithm", async () => {
    const { fixture, user, internalId } = await createTestMeeting();
    const { attendance } = addressesOf(harness.sandbox, fixture);
    const jwt = (secret: string, header: object, claims: object, hash = 'sha512') => {
      const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const text = `${encodePart(header)}.${encodePart(claims)}`;
      return `Bearer ${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
    };
    const now = harness.api.clock.nowMs();
    const exp = Math.floor(now / 1000) + 86_400;
    const { secret } = harness.sandbox;
    const validAuthorization = jwt(secret, { alg: 'HS512' }, { exp });
    const instant = (ms: number) => new Date(ms).toISOString();
    const body = (internal: string, minutes: number) =>
      JSON.stringify({
        version: '1.0',
        meeting_id: fixture.room.uuid,
        internal_meeting_id: internal,
        data: {
          finish: instant(now + minutes * 60_000),
          attendees: [
            {
              ext_user_id: user.userID,
              name: 'Anna',
              moderator: true,
              joins: [instant(now)],
              leaves: [instant(now + minutes * 60_000)],
            },
          ],
        },
      });
    harness.api.clock.advance({ minutes: 30 });
    const send = (text: string, authorization: string) =>
      post(attendance, text, { authorization, 'content-type': 'application/json' });
    for (const authorization of [
      jwt('another secret', { alg: 'HS512' }, { exp }),
      jwt(secret, { alg: 'HS256' }, { exp }, 'sha256'),
      jwt(secret, { alg: 'HS512' }, {}),
      jwt(secret, { alg: 'HS512' }, { exp: Math.floor(now / 1000) - 86_400 }),
      `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`,
      `Bearer ${secret}`,
      '',
    ]) {
      expect(await send(body(internalId, 20), authorization)).toBe(401);
    }
    for (const text of ['', '{', '[]', '{"data":{"attendees":{}}}'])
      expect(await send(text, validAuthorization)).toBe(401);
    expect(await send(body(`${internalId}0`, 20), validAuthorization)).toBe(204);
    expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open' }]);
    expect(await send(body(internalId, 20), validAuthorization)).toBe(204);
    expect(await harness.meetings(fixture)).toMatchObject([{ state: 'ended', participant_minutes: 20 }]);
    expect(await send(body(internalId, 5), validAuthorization)).toBe(204);
    expect(await harness.meetings(fixture)).toMatchObject([{ state: 'ended', participant_minutes: 20 }]);
    expect(await harness.minutesUsed(fixture)).toBe(20);
  });
});

test('a hook is registered once, registered again if the server may have lost it, and removed when the setting is off', async () => {
  const separateHarness = await startMeetingHarness();
  onTestFinished(() => separateHarness.close());
  const { api, sandbox } = separateHarness;
  const fixture = await separateHarness.createTestRoom();
  await separateHarness.enter(fixture);
  const countHookCalls = () => sandbox.control.calls().filter(({ call }) => call === 'hooks/create').length;
  await separateHarness.sync();
  await separateHarness.sync();
  expect([countHookCalls(), sandbox.control.state().hooks.length]).toEqual([1, 1]);
  api.clock.advance({ minutes: 4 });
  await separateHarness.sync();
  expect(countHookCalls()).toBe(1);
  api.clock.advance({ minutes: 2 });
  await separateHarness.sync();
  expect([countHookCalls(), sandbox.control.state().hooks.length]).toEqual([2, 1]);
  sandbox.control.injectFault({ kind: 'connection-reset', call: 'getMeetings', times: 2 });
  api.clock.advance({ minutes: 1 });
  await separateHarness.sync();
  expect(countHookCalls()).toBe(2);
  api.clock.advance({ minutes: 1 });
  await separateHarness.sync();
  expect(countHookCalls()).toBe(3);
  await separateHarness.sync();
  await separateHarness.enter(await separateHarness.createTestRoom());
  expect(countHookCalls()).toBe(3);
  api.clock.advance({ minutes: 1 });
  await separateHarness.enter(await separateHarness.createTestRoom());
  await expect.poll(countHookCalls).toBe(4);
  await api.admin.updateSettings({ body: { meeting_webhooks: false } });
  await separateHarness.sync();
  expect(sandbox.control.state().hooks).toEqual([]);
  api.clock.advance({ minutes: 20 });
  await separateHarness.sync();
  expect(countHookCalls()).toBe(4);
});

test('a hook reports the first participant of a server before any poll, and no join waits for the hook', async () => {
  const separateHarness = await startMeetingHarness();
  onTestFinished(() => separateHarness.close());
  const { api, sandbox } = separateHarness;
  await api.admin.updateSettings({ body: { provider_timeout_ms: 60_000 } });
  const [firstFixture, fixture] = [
    await separateHarness.createTestRoom(),
    await separateHarness.createTestRoom({ provider: (await makeProvider(api, sandbox)).id }),
  ];
  sandbox.control.injectFault({ kind: 'hang', call: 'hooks/create', times: 1 });
  await separateHarness.enter(firstFixture);
  const countHookCalls = () => sandbox.control.calls().filter(({ call }) => call === 'hooks/create').length;
  await expect.poll(countHookCalls).toBe(1);
  expect(sandbox.control.state().hooks).toEqual([]);
  const { data } = await api.admin.joinRoom({ params: fixture.params, body: { name: 'Anna', role: 'moderator' } });
  await expect.poll(() => sandbox.control.state().hooks.length).toBe(1);
  await followJoinUrl(sandbox, data.url);
  await separateHarness.deliverCallbacks();
  expect(await separateHarness.meetings(fixture)).toMatchObject([{ state: 'open', participant_count: 1 }]);
  expect(sandbox.control.calls().filter(({ call }) => call === 'getMeetings')).toEqual([]);
});

test('a hook that could not be registered when the meeting was opened is requested by the next poll', async () => {
  const separateHarness = await startMeetingHarness();
  onTestFinished(() => separateHarness.close());
  const { sandbox } = separateHarness;
  const fixture = await separateHarness.createTestRoom();
  const countHookCalls = () => sandbox.control.calls().filter(({ call }) => call === 'hooks/create').length;
  sandbox.control.injectFault({ kind: 'hang', call: 'hooks/create', times: 1 });
  await separateHarness.api.admin.updateSettings({ body: { provider_timeout_ms: 200 } });
  await separateHarness.enter(fixture);
  await expect.poll(() => separateHarness.api.log().includes('provider did not register the hook')).toBe(true);
  expect([countHookCalls(), sandbox.control.state().hooks.length]).toEqual([1, 0]);
  await separateHarness.sync();
  expect([countHookCalls(), sandbox.control.state().hooks.length]).toEqual([2, 1]);
});

test('a server without hooks is checked for them once an hour, and its meetings are still polled', async () => {
  const separateHarness = await startMeetingHarness({ hasHooks: false });
  onTestFinished(() => separateHarness.close());
  const { api, sandbox } = separateHarness;
  const fixture = await separateHarness.createTestRoom();
  await separateHarness.enter(fixture);
  const countHookCalls = () => sandbox.control.calls().filter(({ call }) => call === 'hooks/create').length;
  for (let minute = 0; minute < 10; minute++) {
    await separateHarness.sync();
    api.clock.advance({ minutes: 1 });
  }
  expect(countHookCalls()).toBe(1);
  expect(await separateHarness.meetings(fixture)).toMatchObject([
    { state: 'open', participant_count: 1, participant_minutes: 9 },
  ]);
  api.clock.advance({ minutes: 55 });
  await separateHarness.sync();
  expect(countHookCalls()).toBe(2);
});

test.each([
  { hasRecord: false, minutes: 10 },
  { hasRecord: true, minutes: 40 },
])(
  'an outage of hours is not charged: participants are charged until they were last seen, unless the attendance record reports a later time (record: $hasRecord)',
  async ({ hasRecord, minutes }) => {
    const separateHarness = await startMeetingHarness();
    onTestFinished(() => separateHarness.close());
    const { api, sandbox } = separateHarness;
    const fixture = await separateHarness.createTestRoom();
    const anna = await separateHarness.enter(fixture, 'Anna');
    await separateHarness.sync();
    api.clock.advance({ minutes: 10 });
    await separateHarness.sync();
    for (const callback of ['hook', 'end', ...(hasRecord ? [] : ['analytics' as const])] as const)
      sandbox.control.disturbCallbacks({ kind: 'lost', callback, times: null });
    sandbox.control.injectFault({ kind: 'connection-reset', times: null });
    api.clock.advance({ minutes: 30 });
    await separateHarness.sync();
    expect(await separateHarness.meetings(fixture)).toMatchObject([{ state: 'open', participant_minutes: 10 }]);
    sandbox.control.leaveUser(anna);
    sandbox.control.endMeeting(fixture.room.uuid);
    api.clock.advance({ hours: 3 });
    sandbox.control.clearFaults();
    // The circuit breaker of a failed provider stays open for some seconds of real time; a check closes it.
    await api.admin.checkServiceProvider({ params: { service_provider_id: separateHarness.provider.id } });
    await separateHarness.sync();
    await separateHarness.deliverCallbacks();
    expect(await separateHarness.meetings(fixture)).toMatchObject([{ state: 'ended', participant_minutes: minutes }]);
    expect(await separateHarness.minutesUsed(fixture)).toBe(minutes);
  },
);

test('meetings end when their server is restarted', async () => {
  const separateHarness = await startMeetingHarness();
  onTestFinished(() => separateHarness.close());
  const fixture = await separateHarness.createTestRoom();
  await separateHarness.enter(fixture, 'Anna');
  await separateHarness.sync();
  separateHarness.sandbox.control.restart();
  separateHarness.api.clock.advance({ minutes: 1 });
  await separateHarness.sync();
  expect(await separateHarness.meetings(fixture)).toMatchObject([
    { state: 'ended', end_reason: 'ended', participant_count: 0 },
  ]);
});

test('callbacks of a provider about meetings of another provider are ignored', async () => {
  const separateHarness = await startMeetingHarness();
  onTestFinished(() => separateHarness.close());
  const fixture = await harness.createTestRoom();
  const { userID } = await harness.enter(fixture);
  await harness.sync();
  const otherProvider = await makeProvider(harness.api, separateHarness.sandbox);
  const otherFixture = await harness.createTestRoom({ provider: otherProvider.id });
  const { data } = await harness.api.admin.joinRoom({
    params: otherFixture.params,
    body: { name: 'S', role: 'moderator' },
  });
  expect(data.url).toContain(separateHarness.sandbox.apiUrl);
  await harness.sync();
  const hook = separateHarness.sandbox.control.state().hooks.at(-1)?.callbackUrl ?? '';
  const internalId = harness.sandbox.control
    .state()
    .meetings.find(({ meetingID }) => meetingID === fixture.room.uuid)?.internalMeetingID;
  const event = {
    data: {
      type: 'event',
      id: 'user-left',
      attributes: {
        meeting: { 'internal-meeting-id': internalId, 'external-meeting-id': fixture.room.uuid },
        user: { 'external-user-id': userID, name: 'X', role: 'VIEWER' },
      },
      event: { ts: harness.api.clock.nowMs() },
    },
  };
  const answer = await fetch(hook, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${separateHarness.sandbox.secret}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ event: JSON.stringify(event) }).toString(),
  });
  expect(answer.status).toBe(204);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open', participant_count: 1 }]);
});
