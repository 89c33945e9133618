import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorker } from '../src/worker.ts';
import { followJoinUrl, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

/** All rows of the database that contain the word, each as `table: row`. */
async function findRowsWith(word: string): Promise<string[]> {
  const { pool } = harness.api.app.connection;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const rowsWithWord: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select (t.*)::text as row from ${name} t where (t.*)::text ilike '%' || $1 || '%'`,
      [word],
    );
    rowsWithWord.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return rowsWithWord;
}

const tableNames = (rows: readonly string[]) => [...new Set(rows.map((row) => row.split(':')[0]))];

let lastKey = 0;

/** Joins with the name in every way: through the API, on the page, directly on the provider, rejected, and failing. */
async function visit(name: string) {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom({
    room: { is_public: true, room_settings: { anyone_can_start: true } },
  });
  const { data: roomToken } = await api.admin.createRoomToken({ params: fixture.params, body: { role: 'attendee' } });
  await harness.enter(fixture, `${name} One`);
  const answer = await fetch(`${api.url}/api/v1/rooms/${fixture.room.id}/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `names-${++lastKey}` },
    body: JSON.stringify({ name: `${name} Two`, token: roomToken.token }),
  });
  const { data } = (await answer.json()) as { data: { url: string } };
  await followJoinUrl(sandbox, data.url);
  const { data: room } = await api.admin.readRoom({ params: fixture.params });
  const page = new URL(room.url);
  const pageAnswer = await fetch(`${api.url}${page.pathname}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: api.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ name: `${name} Three` }).toString(),
  });
  expect([pageAnswer.status, pageAnswer.headers.get('location')]).toEqual([303, expect.stringContaining('/join?')]);
  await followJoinUrl(sandbox, pageAnswer.headers.get('location') ?? '');
  sandbox.control.joinUser({ meetingID: fixture.room.uuid, fullName: `${name} Outside`, userID: `${name}-id` });
  await harness.deliverCallbacks();
  await harness.sync();
  // Rejected joins, invalid names, and a provider that fails on a request with the name in the URL.
  const postJoin = async (body: object) =>
    await fetch(`${api.url}/api/v1/rooms/${fixture.room.id}/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await postJoin({ name: `${name} Four`, token: 'frm_none' });
  await postJoin({ name: [`${name} Five`] });
  await postJoin({ name: `${name} Six`.repeat(100) });
  await api.admin.checkRoomEntry({ params: fixture.params, body: { name: `${name} Seven`, token: roomToken.token } });
  sandbox.control.injectFault({ kind: 'http-error', status: 500, times: 1 });
  await postJoin({ name: `${name} Eight`, token: roomToken.token });
  sandbox.control.clearFaults();
  return fixture;
}

async function endMeeting(fixture: Awaited<ReturnType<typeof visit>>) {
  const { api } = harness;
  api.clock.advance({ minutes: 3 });
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  await api.admin.endMeeting({ params: { meeting_id: meeting?.id ?? '' } });
  api.clock.advance({ minutes: 5 });
  await harness.deliverCallbacks();
  for (const job of ['sync-meetings', 'roll-up-usage', 'seal-audit', 'sync-recordings', 'send-mails'])
    await runJob(api.app.dependencies, job);
  return meeting?.id ?? '';
}

test('a name is stored in one table only and removed when its retention ends, and logs and metrics never contain it', async () => {
  const { api } = harness;
  const name = 'Zyxomma';
  const fixture = await visit(name);
  const meetingId = await endMeeting(fixture);
  expect(tableNames(await findRowsWith(name))).toEqual(['public.room_entries']);
  const params = { meeting_id: meetingId };
  const countNamed = async () =>
    (await api.admin.listMeetingParticipants({ params, query: { search: name } })).data.length;
  expect(await countNamed()).toBe(4);
  api.clock.advance({ days: 31 });
  await runJob(api.app.dependencies, 'forget-participants');
  expect(await findRowsWith(name)).toEqual([]);
  expect(await countNamed()).toBe(0);
  expect(api.log()).not.toContain(name);
  const metrics = await fetch(`${api.url}/metrics`);
  expect(await metrics.text()).not.toContain(name);
  const [meeting] = await harness.meetings(fixture);
  expect(JSON.stringify(meeting)).not.toContain(name);
  // Late repeated callbacks do not restore the name.
  for (const { id } of harness.sandbox.control.state().callbacks) harness.sandbox.control.replayCallback(id);
  await harness.sandbox.control.waitForCallbacks();
  await harness.sync();
  expect(await findRowsWith(name)).toEqual([]);
});

test('with a retention of 0 no name is stored, and existing names are removed at once', async () => {
  const { api } = harness;
  const meetingId = await endMeeting(await visit('Quetzal'));
  const worker = await startWorker(api.app);
  try {
    await api.admin.updateSettings({ body: { participant_names_days: 0 } });
    await expect.poll(async () => await findRowsWith('Quetzal')).toEqual([]);
  } finally {
    await worker.stop();
  }
  const { data } = await api.admin.listMeetingParticipants({ params: { meeting_id: meetingId } });
  expect(data.map(({ name }) => name)).toEqual([null, null, null, null]);
  await endMeeting(await visit('Wombat'));
  expect(await findRowsWith('Wombat')).toEqual([]);
  await api.admin.updateSettings({ body: { participant_names_days: 30 } });
});

test('names of participants who left a long meeting are removed, and the attendance record does not restore them', async () => {
  const { api, sandbox } = harness;
  await api.admin.updateSettings({ body: { participant_names_days: 1 } });
  const fixture = await harness.createTestRoom();
  await harness.enter(fixture, 'Ibex Stays');
  const leaver = await harness.enter(fixture, 'Ibex Leaves', 'attendee');
  await harness.sync();
  sandbox.control.leaveUser({ sessionToken: leaver.sessionToken });
  await harness.deliverCallbacks();
  await harness.sync();
  expect(await findRowsWith('Ibex Leaves')).toHaveLength(1);
  api.clock.advance({ hours: 25 });
  await runJob(api.app.dependencies, 'forget-participants');
  expect(await findRowsWith('Ibex Leaves')).toEqual([]);
  expect(await findRowsWith('Ibex Stays')).toHaveLength(1);
  sandbox.control.endMeeting(fixture.room.uuid);
  await harness.deliverCallbacks();
  api.clock.advance({ minutes: 5 });
  await harness.deliverCallbacks();
  await harness.sync();
  expect(await findRowsWith('Ibex Leaves')).toEqual([]);
  expect(await findRowsWith('Ibex Stays')).toHaveLength(1);
});
