import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusalOf } from './factories.ts';
import { followJoinUrl, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

const password = 'a password for a meeting';

test('every session of a room is a meeting with its start, end, peak, minutes and participants', async () => {
  const { api, sandbox, provider } = harness;
  const fixture = await harness.createTestRoom();
  const anna = await harness.enter(fixture, 'Anna');
  await harness.enter(fixture, 'Berta', 'attendee');
  await harness.sync();
  api.clock.advance({ minutes: 4 });
  sandbox.control.leaveUser({ sessionToken: anna.sessionToken });
  await harness.sync();
  api.clock.advance({ minutes: 5 });
  sandbox.control.endMeeting(fixture.room.uuid);
  await harness.sync();
  const [meeting, ...otherMeetings] = await harness.meetings(fixture);
  expect(otherMeetings).toEqual([]);
  expect(meeting).toMatchObject({
    object: 'Meeting',
    room_id: fixture.room.id,
    customer_id: fixture.customer.id,
    subscription_id: fixture.subscription.id,
    state: 'ended',
    provider: { id: provider.id, type: 'bigbluebutton' },
    provider_meeting_id: fixture.room.uuid,
    participant_count: 0,
    peak_participants: 2,
    end_reason: 'ended',
  });
  expect(meeting?.started_at).toMatch(/^2026-03-10T12:0/);
  const unsorted = await harness.participants(meeting ?? { id: '' });
  // Both joined at the same time, so the list order is undefined.
  const people = unsorted.toSorted((one, other) => String(one.name).localeCompare(String(other.name)));
  expect(people).toMatchObject([
    { object: 'Participant', name: 'Anna', role: 'moderator', by_door: true, stays: [{}] },
    { object: 'Participant', name: 'Berta', role: 'attendee', by_door: true, stays: [{}] },
  ]);
  expect(people.map(({ minutes }) => minutes)).toEqual([4, 9]);
  expect(people.every(({ left_at: left }) => left !== null)).toBe(true);
  expect(meeting?.participant_minutes).toBe(13);
  expect(await harness.minutesUsed(fixture)).toBe(13);
  const { data: read } = await api.admin.readMeeting({ params: { meeting_id: meeting?.id ?? '' } });
  expect(read).toEqual(meeting);
});

test('each participant has the room token and the user of the join', async () => {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom();
  const { data: member } = await api.admin.createCustomerUser({
    params: { customer_id: fixture.customer.id },
    body: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', password },
  });
  const { access_token: bearer } = await api.anyone.loginUser({ body: { username: 'ada@example.com', password } });
  const user = api.clientWith(bearer);
  const body = { role: 'moderator', name: 'Teacher', user_id: member.user_id } as const;
  const { data: token } = await api.admin.createRoomToken({ params: fixture.params, body });
  const { data: entry } = await user.joinRoom({ params: fixture.params, body: { token: token.token, name: 'A. L.' } });
  await followJoinUrl(sandbox, entry.url);
  await harness.enter(fixture, 'Support');
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  const params = { meeting_id: meeting?.id ?? '' };
  const query = { include: 'room_token,user', search: `user_id:${member.user_id}` };
  const { data: people } = await api.admin.listMeetingParticipants({ params, query });
  expect(people).toMatchObject([
    {
      name: 'A. L.',
      room_token_id: token.id,
      user_id: member.user_id,
      room_token: { data: { name: 'Teacher' } },
      user: { data: { full_name: 'Ada Lovelace' } },
    },
  ]);
  const supporters = (await harness.participants(meeting ?? { id: '' })).filter(({ name }) => name === 'Support');
  expect(supporters).toMatchObject([{ room_token_id: null, user_id: null }]);
});

test("a participant's user is the one signed in at the join; binding the link to a user later does not change it", async () => {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom();
  const { data: member } = await api.admin.createCustomerUser({
    params: { customer_id: fixture.customer.id },
    body: {
      email: 'grace@example.com',
      first_name: 'Grace',
      last_name: 'Hopper',
      password,
      permissions: ['read-room', 'moderate'],
    },
  });
  const { access_token: bearer } = await api.anyone.loginUser({ body: { username: 'grace@example.com', password } });
  const { data: token } = await api.admin.createRoomToken({ params: fixture.params, body: { role: 'moderator' } });
  const body = { token: token.token, name: 'Somebody' };
  await followJoinUrl(sandbox, (await api.anyone.joinRoom({ params: fixture.params, body })).data.url);
  await followJoinUrl(sandbox, (await api.clientWith(bearer).joinRoom({ params: fixture.params, body: {} })).data.url);
  await api.admin.updateRoomToken({
    params: { room_id: fixture.room.id, token_id: token.id },
    body: { user_id: member.user_id },
  });
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  const people = await harness.participants(meeting ?? { id: '' });
  expect(new Map(people.map(({ name, user_id: user }) => [name, user]))).toEqual(
    new Map([
      ['Somebody', null],
      ['Grace Hopper', member.user_id],
    ]),
  );
  api.clock.advance({ minutes: 2 });
  sandbox.control.endMeeting(fixture.room.uuid);
  await harness.sync();
  await api.admin.updateSettings({ body: { participant_names_days: 0 } });
  await runJob(api.app.dependencies, 'forget-participants');
  const forgotten = await harness.participants(meeting ?? { id: '' });
  expect(forgotten.map(({ name, user_id: user }) => [name, user])).toEqual([
    [null, null],
    [null, null],
  ]);
  await api.admin.updateSettings({ body: { participant_names_days: 30 } });
});

test('meetings can be listed and searched with their participants, and participants can be searched and sorted', async () => {
  const { api } = harness;
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  const { data: open } = await api.admin.listMeetings({
    query: {
      search: `state:open;room_id:${fixture.room.id}`,
      searchJoin: 'and',
      include: 'room,customer,subscription,participants',
    },
  });
  expect(open).toHaveLength(1);
  expect(open[0]).toMatchObject({
    state: 'open',
    participant_count: 1,
    room: { data: { id: fixture.room.id } },
    customer: { data: { id: fixture.customer.id } },
    subscription: { data: { id: fixture.subscription.id } },
    participants: { data: [{ name: 'Anna', left_at: null }] },
  });
  const { data: matching } = await api.admin.listMeetingParticipants({
    params: { meeting_id: open[0]?.id ?? '' },
    query: { search: 'ann', orderBy: 'minutes,left_at' },
  });
  expect(matching.map(({ name }) => name)).toEqual(['Anna']);
  const refusal = await refusalOf(api.admin.listMeetings({ query: { search: 'provider:x' } }));
  expect(refusal.code).toBe('unknown-query-field');
});

test('a person who joined directly on the provider is one participant, and a person who never arrived is not a participant', async () => {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture, 'Anna');
  await api.admin.joinRoom({ params: fixture.params, body: { name: 'Never came', role: 'attendee' } });
  const guest = sandbox.control.joinUser({
    meetingID: fixture.room.uuid,
    fullName: '<b>Eve</b> \u202Egnp.exe',
    userID: 'eve@example.com',
  });
  await harness.sync();
  api.clock.advance({ minutes: 2 });
  sandbox.control.leaveUser({ meetingID: fixture.room.uuid, userID: guest.userID });
  await harness.sync();
  api.clock.advance({ minutes: 3 });
  sandbox.control.joinUser({ meetingID: fixture.room.uuid, fullName: 'Eve again', userID: 'eve@example.com' });
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  const people = await harness.participants(meeting ?? { id: '' });
  expect(people).toMatchObject([
    { by_door: true, name: 'Anna' },
    { by_door: false, role: 'attendee', left_at: null, minutes: 3 },
  ]);
  expect(people[1]?.stays).toHaveLength(2);
  const stored = await api.app.connection.pool.query('select * from room_entries where room_id = $1', [
    fixture.room.uuid,
  ]);
  expect(JSON.stringify(stored.rows)).not.toContain('eve@example.com');
});

test('a request ends a meeting for everyone, also on its provider; an ended meeting is returned unchanged', async () => {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  const params = { meeting_id: meeting?.id ?? '' };
  const { data: ended } = await api.admin.endMeeting({ params });
  expect(ended).toMatchObject({ state: 'ended', end_reason: 'ended-by-request', participant_count: 0 });
  expect(sandbox.control.state().meetings.find(({ meetingID }) => meetingID === fixture.room.uuid)).toMatchObject({
    running: false,
    endReason: 'end-call',
  });
  // The provider's callback sets the exact end time.
  await harness.deliverCallbacks();
  const { data: afterCallback } = await api.admin.readMeeting({ params });
  const { data: repeated } = await api.admin.endMeeting({ params });
  expect(repeated).toEqual(afterCallback);
  expect(repeated).toMatchObject({ state: 'ended', end_reason: 'ended-by-request' });
  const people = await harness.participants(ended);
  expect(people).toMatchObject([{ name: 'Anna', minutes: 1 }]);
});

test('a meeting is not ended while its provider does not respond', async () => {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture, 'Anna');
  const [meeting] = await harness.meetings(fixture);
  sandbox.control.injectFault({ kind: 'connection-reset', call: 'end', times: null });
  const refusal = await refusalOf(api.admin.endMeeting({ params: { meeting_id: meeting?.id ?? '' } }));
  sandbox.control.clearFaults();
  expect([refusal.status, refusal.code]).toEqual([503, 'provider-unavailable']);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open', end_reason: null }]);
});

test('users see only meetings of their own rooms, without the provider; only moderators see the participants', async () => {
  const { api } = harness;
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  const params = { meeting_id: meeting?.id ?? '' };
  const createSignedInUser = async (permissions: ['read-room'] | ['read-room', 'moderate'], room: typeof fixture) => {
    const email = `user.${Math.random().toString(36).slice(2)}@example.com`;
    const { data: user } = await api.admin.createUser({
      body: { email, first_name: 'U', last_name: 'Ser', password },
    });
    await api.admin.createRoomUser({ params: room.params, body: { user_id: user.id, permissions } });
    return api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
  };
  const reader = await createSignedInUser(['read-room'], fixture);
  expect((await reader.readMeeting({ params })).data).toMatchObject({ id: meeting?.id, provider: null });
  expect((await reader.listMeetings()).data.map(({ id }) => id)).toEqual([meeting?.id]);
  for (const call of [() => reader.listMeetingParticipants({ params }), () => reader.endMeeting({ params })]) {
    expect(await refusalOf(call())).toMatchObject({ status: 403, code: 'forbidden' });
  }
  const included = await reader.listMeetings({ query: { include: 'participants' } });
  expect(JSON.stringify(included)).not.toContain('Anna');
  const stranger = await createSignedInUser(['read-room', 'moderate'], await harness.createTestRoom());
  for (const call of [
    () => stranger.readMeeting({ params }),
    () => stranger.listMeetingParticipants({ params }),
    () => stranger.endMeeting({ params }),
    () => stranger.listRoomMeetings({ params: fixture.params }),
  ]) {
    expect(await refusalOf(call())).toMatchObject({ status: 404 });
  }
  expect((await stranger.listMeetings()).data).toEqual([]);
  const moderator = await createSignedInUser(['read-room', 'moderate'], fixture);
  expect((await moderator.listMeetingParticipants({ params })).data).toMatchObject([{ name: 'Anna' }]);
  expect((await moderator.endMeeting({ params })).data).toMatchObject({ state: 'ended', provider: null });
});

test('names are kept for the number of days in the setting, and with 0 they are never stored', async () => {
  const { api, sandbox } = harness;
  const forget = async () => await runJob(api.app.dependencies, 'forget-participants');
  const readNames = async (fixture: Awaited<ReturnType<MeetingHarness['createTestRoom']>>) => {
    const [meeting] = await harness.meetings(fixture);
    return (await harness.participants(meeting ?? { id: '' })).map(({ name }) => name);
  };
  const endedRoom = await harness.createTestRoom();
  await harness.enter(endedRoom, 'Anna');
  await harness.sync();
  sandbox.control.endMeeting(endedRoom.room.uuid);
  await harness.sync();
  const runningRoom = await harness.createTestRoom();
  await harness.enter(runningRoom, 'Carla');
  await harness.sync();
  await api.admin.updateSettings({ body: { participant_names_days: 0 } });
  const namelessRoom = await harness.createTestRoom();
  await harness.enter(namelessRoom, 'Zenobia');
  await harness.sync();
  expect(await readNames(namelessRoom)).toEqual([null]);
  const { rows } = await api.app.connection.pool.query<{ places: number }>(
    `select ((select count(*) from room_entries entry where entry::text like '%Zenobia%')
      + (select count(*) from events where data::text like '%Zenobia%')
      + (select count(*) from audit_entries where new_values::text like '%Zenobia%'))::int as places`,
  );
  expect(rows).toEqual([{ places: 0 }]);
  await forget();
  expect(await readNames(endedRoom)).toEqual([null]);
  expect(await readNames(runningRoom)).toEqual(['Carla']);
  await api.admin.updateSettings({ body: { participant_names_days: 30 } });
  const keptRoom = await harness.createTestRoom();
  await harness.enter(keptRoom, 'Dora');
  await harness.sync();
  sandbox.control.endMeeting(keptRoom.room.uuid);
  await harness.sync();
  api.clock.advance({ days: 29 });
  await forget();
  expect(await readNames(keptRoom)).toEqual(['Dora']);
  api.clock.advance({ days: 1, minutes: 1 });
  await forget();
  expect(await readNames(keptRoom)).toEqual([null]);
  expect(await forget()).toBe(0);
});
