import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusalOf } from './factories.ts';
import { arrive, openStage, type Stage } from './meeting-stage.ts';
import { runJob } from '../src/modules.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const password = 'a password for a meeting';

test('every session of a room is a meeting with its start, end, peak, minutes and participants', async () => {
  const { api, sandbox, provider } = stage;
  const door = await stage.aRoom();
  const anna = await stage.enter(door, 'Anna');
  await stage.enter(door, 'Berta', 'attendee');
  await stage.sync();
  api.clock.advance({ minutes: 4 });
  sandbox.control.leaveUser({ sessionToken: anna.sessionToken });
  await stage.sync();
  api.clock.advance({ minutes: 5 });
  sandbox.control.endMeeting(door.room.uuid);
  await stage.sync();
  const [meeting, ...others] = await stage.meetings(door);
  expect(others).toEqual([]);
  expect(meeting).toMatchObject({
    object: 'Meeting',
    room_id: door.room.id,
    customer_id: door.customer.id,
    subscription_id: door.subscription.id,
    state: 'ended',
    provider: { id: provider.id, type: 'bigbluebutton' },
    provider_meeting_id: door.room.uuid,
    participant_count: 0,
    peak_participants: 2,
    end_reason: 'ended',
  });
  expect(meeting?.started_at).toMatch(/^2026-03-10T12:0/);
  const seen = await stage.participants(meeting ?? { id: '' });
  // They came at the same instant.
  const people = seen.toSorted((one, other) => String(one.name).localeCompare(String(other.name)));
  expect(people).toMatchObject([
    { object: 'Participant', name: 'Anna', role: 'moderator', by_door: true, stays: [{}] },
    { object: 'Participant', name: 'Berta', role: 'attendee', by_door: true, stays: [{}] },
  ]);
  expect(people.map(({ minutes }) => minutes)).toEqual([4, 9]);
  expect(people.every(({ left_at: left }) => left !== null)).toBe(true);
  expect(meeting?.participant_minutes).toBe(13);
  expect(await stage.minutesUsed(door)).toBe(13);
  const { data: read } = await api.admin.readMeeting({ params: { meeting_id: meeting?.id ?? '' } });
  expect(read).toEqual(meeting);
});

test('attendance names the token and the user of each participant', async () => {
  const { api, sandbox } = stage;
  const door = await stage.aRoom();
  const { data: member } = await api.admin.createCustomerUser({
    params: { customer_id: door.customer.id },
    body: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', password },
  });
  const { access_token: bearer } = await api.anyone.loginUser({ body: { username: 'ada@example.com', password } });
  const user = api.clientWith(bearer);
  const body = { role: 'moderator', name: 'Teacher', user_id: member.user_id } as const;
  const { data: token } = await api.admin.createRoomToken({ params: door.params, body });
  const { data: entry } = await user.joinRoom({ params: door.params, body: { token: token.token, name: 'A. L.' } });
  await arrive(sandbox, entry.url);
  await stage.enter(door, 'Support');
  await stage.sync();
  const [meeting] = await stage.meetings(door);
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
  const others = (await stage.participants(meeting ?? { id: '' })).filter(({ name }) => name === 'Support');
  expect(others).toMatchObject([{ room_token_id: null, user_id: null }]);
});

test("a participant's user is the one signed in at the join; binding the link to a user later does not change it", async () => {
  const { api, sandbox } = stage;
  const door = await stage.aRoom();
  const { data: member } = await api.admin.createCustomerUser({
    params: { customer_id: door.customer.id },
    body: {
      email: 'grace@example.com',
      first_name: 'Grace',
      last_name: 'Hopper',
      password,
      permissions: ['read-room', 'moderate'],
    },
  });
  const { access_token: bearer } = await api.anyone.loginUser({ body: { username: 'grace@example.com', password } });
  const { data: token } = await api.admin.createRoomToken({ params: door.params, body: { role: 'moderator' } });
  const body = { token: token.token, name: 'Somebody' };
  await arrive(sandbox, (await api.anyone.joinRoom({ params: door.params, body })).data.url);
  await arrive(sandbox, (await api.clientWith(bearer).joinRoom({ params: door.params, body: {} })).data.url);
  await api.admin.updateRoomToken({
    params: { room_id: door.room.id, token_id: token.id },
    body: { user_id: member.user_id },
  });
  await stage.sync();
  const [meeting] = await stage.meetings(door);
  const people = await stage.participants(meeting ?? { id: '' });
  expect(new Map(people.map(({ name, user_id: user }) => [name, user]))).toEqual(
    new Map([
      ['Somebody', null],
      ['Grace Hopper', member.user_id],
    ]),
  );
  api.clock.advance({ minutes: 2 });
  sandbox.control.endMeeting(door.room.uuid);
  await stage.sync();
  await api.admin.updateSettings({ body: { participant_names_days: 0 } });
  await runJob(api.app.dependencies, 'forget-participants');
  const forgotten = await stage.participants(meeting ?? { id: '' });
  expect(forgotten.map(({ name, user_id: user }) => [name, user])).toEqual([
    [null, null],
    [null, null],
  ]);
  await api.admin.updateSettings({ body: { participant_names_days: 30 } });
});

test('meetings are listed, searched, ordered and included, with the people in them', async () => {
  const { api } = stage;
  const door = await stage.aRoom();
  await stage.enter(door, 'Anna');
  await stage.sync();
  const { data: open } = await api.admin.listMeetings({
    query: {
      search: `state:open;room_id:${door.room.id}`,
      searchJoin: 'and',
      include: 'room,customer,subscription,participants',
    },
  });
  expect(open).toHaveLength(1);
  expect(open[0]).toMatchObject({
    state: 'open',
    participant_count: 1,
    room: { data: { id: door.room.id } },
    customer: { data: { id: door.customer.id } },
    subscription: { data: { id: door.subscription.id } },
    participants: { data: [{ name: 'Anna', left_at: null }] },
  });
  const { data: named } = await api.admin.listMeetingParticipants({
    params: { meeting_id: open[0]?.id ?? '' },
    query: { search: 'ann', orderBy: 'minutes,left_at' },
  });
  expect(named.map(({ name }) => name)).toEqual(['Anna']);
  const byProvider = await refusalOf(api.admin.listMeetings({ query: { search: 'provider:x' } }));
  expect(byProvider.code).toBe('unknown-query-field');
});

test('a person who joined directly on the provider is one participant, and a person who never arrived is none', async () => {
  const { api, sandbox } = stage;
  const door = await stage.aRoom();
  await stage.enter(door, 'Anna');
  await api.admin.joinRoom({ params: door.params, body: { name: 'Never came', role: 'attendee' } });
  const guest = sandbox.control.joinUser({
    meetingID: door.room.uuid,
    fullName: '<b>Eve</b> \u202Egnp.exe',
    userID: 'eve@example.com',
  });
  await stage.sync();
  api.clock.advance({ minutes: 2 });
  sandbox.control.leaveUser({ meetingID: door.room.uuid, userID: guest.userID });
  await stage.sync();
  api.clock.advance({ minutes: 3 });
  sandbox.control.joinUser({ meetingID: door.room.uuid, fullName: 'Eve again', userID: 'eve@example.com' });
  await stage.sync();
  const [meeting] = await stage.meetings(door);
  const people = await stage.participants(meeting ?? { id: '' });
  expect(people).toMatchObject([
    { by_door: true, name: 'Anna' },
    { by_door: false, role: 'attendee', left_at: null, minutes: 3 },
  ]);
  expect(people[1]?.stays).toHaveLength(2);
  const stored = await api.app.connection.pool.query('select * from room_entries where room_id = $1', [door.room.uuid]);
  expect(JSON.stringify(stored.rows)).not.toContain('eve@example.com');
});

test('a meeting is ended for everybody by a call, on its provider, too; one that has ended is answered as it is', async () => {
  const { api, sandbox } = stage;
  const door = await stage.aRoom();
  await stage.enter(door, 'Anna');
  await stage.sync();
  const [meeting] = await stage.meetings(door);
  const params = { meeting_id: meeting?.id ?? '' };
  const { data: ended } = await api.admin.endMeeting({ params });
  expect(ended).toMatchObject({ state: 'ended', end_reason: 'ended-by-request', participant_count: 0 });
  expect(sandbox.control.state().meetings.find(({ meetingID }) => meetingID === door.room.uuid)).toMatchObject({
    running: false,
    endReason: 'end-call',
  });
  // What the provider tells of the end says when exactly that was.
  await stage.settle();
  const { data: settled } = await api.admin.readMeeting({ params });
  const { data: again } = await api.admin.endMeeting({ params });
  expect(again).toEqual(settled);
  expect(again).toMatchObject({ state: 'ended', end_reason: 'ended-by-request' });
  const people = await stage.participants(ended);
  expect(people).toMatchObject([{ name: 'Anna', minutes: 1 }]);
});

test('while the provider does not answer a meeting is not ended, and goes on', async () => {
  const { api, sandbox } = stage;
  const door = await stage.aRoom();
  await stage.enter(door, 'Anna');
  const [meeting] = await stage.meetings(door);
  sandbox.control.injectFault({ kind: 'connection-reset', call: 'end', times: null });
  const refusal = await refusalOf(api.admin.endMeeting({ params: { meeting_id: meeting?.id ?? '' } }));
  sandbox.control.clearFaults();
  expect([refusal.status, refusal.code]).toEqual([503, 'provider-unavailable']);
  expect(await stage.meetings(door)).toMatchObject([{ state: 'open', end_reason: null }]);
});

test('users see only meetings of their own rooms, without the provider; only moderators see the participants', async () => {
  const { api } = stage;
  const door = await stage.aRoom();
  await stage.enter(door, 'Anna');
  await stage.sync();
  const [meeting] = await stage.meetings(door);
  const params = { meeting_id: meeting?.id ?? '' };
  const signedIn = async (permissions: ['read-room'] | ['read-room', 'moderate'], at: typeof door) => {
    const email = `user.${Math.random().toString(36).slice(2)}@example.com`;
    const { data: user } = await api.admin.createUser({
      body: { email, first_name: 'U', last_name: 'Ser', password },
    });
    await api.admin.createRoomUser({ params: at.params, body: { user_id: user.id, permissions } });
    return api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
  };
  const reader = await signedIn(['read-room'], door);
  expect((await reader.readMeeting({ params })).data).toMatchObject({ id: meeting?.id, provider: null });
  expect((await reader.listMeetings()).data.map(({ id }) => id)).toEqual([meeting?.id]);
  for (const call of [() => reader.listMeetingParticipants({ params }), () => reader.endMeeting({ params })]) {
    expect(await refusalOf(call())).toMatchObject({ status: 403, code: 'forbidden' });
  }
  const included = await reader.listMeetings({ query: { include: 'participants' } });
  expect(JSON.stringify(included)).not.toContain('Anna');
  const stranger = await signedIn(['read-room', 'moderate'], await stage.aRoom());
  for (const call of [
    () => stranger.readMeeting({ params }),
    () => stranger.listMeetingParticipants({ params }),
    () => stranger.endMeeting({ params }),
    () => stranger.listRoomMeetings({ params: door.params }),
  ]) {
    expect(await refusalOf(call())).toMatchObject({ status: 404 });
  }
  expect((await stranger.listMeetings()).data).toEqual([]);
  const moderator = await signedIn(['read-room', 'moderate'], door);
  expect((await moderator.listMeetingParticipants({ params })).data).toMatchObject([{ name: 'Anna' }]);
  expect((await moderator.endMeeting({ params })).data).toMatchObject({ state: 'ended', provider: null });
});

test('names are kept for as many days as the setting says, and with 0 they are never written down', async () => {
  const { api, sandbox } = stage;
  const forget = async () => await runJob(api.app.dependencies, 'forget-participants');
  const named = async (door: Awaited<ReturnType<Stage['aRoom']>>) => {
    const [meeting] = await stage.meetings(door);
    return (await stage.participants(meeting ?? { id: '' })).map(({ name }) => name);
  };
  const before = await stage.aRoom();
  await stage.enter(before, 'Anna');
  await stage.sync();
  sandbox.control.endMeeting(before.room.uuid);
  await stage.sync();
  const running = await stage.aRoom();
  await stage.enter(running, 'Carla');
  await stage.sync();
  await api.admin.updateSettings({ body: { participant_names_days: 0 } });
  const after = await stage.aRoom();
  await stage.enter(after, 'Zenobia');
  await stage.sync();
  expect(await named(after)).toEqual([null]);
  const { rows } = await api.app.connection.pool.query<{ places: number }>(
    `select ((select count(*) from room_entries entry where entry::text like '%Zenobia%')
      + (select count(*) from events where data::text like '%Zenobia%')
      + (select count(*) from audit_entries where new_values::text like '%Zenobia%'))::int as places`,
  );
  expect(rows).toEqual([{ places: 0 }]);
  await forget();
  expect(await named(before)).toEqual([null]);
  expect(await named(running)).toEqual(['Carla']);
  await api.admin.updateSettings({ body: { participant_names_days: 30 } });
  const month = await stage.aRoom();
  await stage.enter(month, 'Dora');
  await stage.sync();
  sandbox.control.endMeeting(month.room.uuid);
  await stage.sync();
  api.clock.advance({ days: 29 });
  await forget();
  expect(await named(month)).toEqual(['Dora']);
  api.clock.advance({ days: 1, minutes: 1 });
  await forget();
  expect(await named(month)).toEqual([null]);
  expect(await forget()).toBe(0);
});
