import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorker } from '../src/worker.ts';
import { followJoinUrl, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

/** The tables that contain the word, with the matching rows as text. */
async function whereKept(word: string): Promise<string[]> {
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

const tables = (kept: readonly string[]) => [...new Set(kept.map((entry) => entry.split(':')[0]))];

let keys = 0;

/** Joins under the name in every way: by the API, by the page, directly on the provider, refused, and failed. */
async function visit(name: string) {
  const { api, sandbox } = harness;
  const fixture = await harness.createTestRoom({
    room: { is_public: true, room_settings: { anyone_can_start: true } },
  });
  const { data: hook } = await api.admin.createRoomToken({ params: fixture.params, body: { role: 'attendee' } });
  await harness.enter(fixture, `${name} One`);
  const answer = await fetch(`${api.url}/api/v1/rooms/${fixture.room.id}/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `names-${++keys}` },
    body: JSON.stringify({ name: `${name} Two`, token: hook.token }),
  });
  const { data } = (await answer.json()) as { data: { url: string } };
  await followJoinUrl(sandbox, data.url);
  const { data: room } = await api.admin.readRoom({ params: fixture.params });
  const page = new URL(room.url);
  const entered = await fetch(`${api.url}${page.pathname}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: api.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ name: `${name} Three` }).toString(),
  });
  expect([entered.status, entered.headers.get('location')]).toEqual([303, expect.stringContaining('/join?')]);
  await followJoinUrl(sandbox, entered.headers.get('location') ?? '');
  sandbox.control.joinUser({ meetingID: fixture.room.uuid, fullName: `${name} Outside`, userID: `${name}-id` });
  await harness.settle();
  await harness.sync();
  // A refused join, an invalid name, and a provider that fails with the name in its URL.
  const refused = async (body: object) =>
    await fetch(`${api.url}/api/v1/rooms/${fixture.room.id}/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await refused({ name: `${name} Four`, token: 'frm_none' });
  await refused({ name: [`${name} Five`] });
  await refused({ name: `${name} Six`.repeat(100) });
  await api.admin.checkRoomEntry({ params: fixture.params, body: { name: `${name} Seven`, token: hook.token } });
  sandbox.control.injectFault({ kind: 'http-error', status: 500, times: 1 });
  await refused({ name: `${name} Eight`, token: hook.token });
  sandbox.control.clearFaults();
  return fixture;
}

async function end(fixture: Awaited<ReturnType<typeof visit>>) {
  const { api } = harness;
  api.clock.advance({ minutes: 3 });
  await harness.sync();
  const [meeting] = await harness.meetings(fixture);
  await api.admin.endMeeting({ params: { meeting_id: meeting?.id ?? '' } });
  api.clock.advance({ minutes: 5 });
  await harness.settle();
  for (const job of ['sync-meetings', 'roll-up-usage', 'seal-audit', 'sync-recordings', 'send-mails'])
    await runJob(api.app.dependencies, job);
  return meeting?.id ?? '';
}

test('a name is stored in one table until its retention ends, and then nowhere, including logs, metrics and answers', async () => {
  const { api } = harness;
  const name = 'Zyxomma';
  const fixture = await visit(name);
  const meetingId = await end(fixture);
  expect(tables(await whereKept(name))).toEqual(['public.room_entries']);
  const params = { meeting_id: meetingId };
  const named = async () => (await api.admin.listMeetingParticipants({ params, query: { search: name } })).data.length;
  expect(await named()).toBe(4);
  api.clock.advance({ days: 31 });
  await runJob(api.app.dependencies, 'forget-participants');
  expect(await whereKept(name)).toEqual([]);
  expect(await named()).toBe(0);
  expect(api.log()).not.toContain(name);
  const metrics = await fetch(`${api.url}/metrics`);
  expect(await metrics.text()).not.toContain(name);
  const [meeting] = await harness.meetings(fixture);
  expect(JSON.stringify(meeting)).not.toContain(name);
  // Late repeated callbacks do not restore the name.
  for (const { id } of harness.sandbox.control.state().callbacks) harness.sandbox.control.replayCallback(id);
  await harness.sandbox.control.callbacksSent();
  await harness.sync();
  expect(await whereKept(name)).toEqual([]);
});

test('with a retention of 0 no name is stored, and existing ones are removed at once', async () => {
  const { api } = harness;
  const meetingId = await end(await visit('Quetzal'));
  const worker = await startWorker(api.app);
  try {
    await api.admin.updateSettings({ body: { participant_names_days: 0 } });
    await expect.poll(async () => await whereKept('Quetzal')).toEqual([]);
  } finally {
    await worker.stop();
  }
  const { data } = await api.admin.listMeetingParticipants({ params: { meeting_id: meetingId } });
  expect(data.map(({ name }) => name)).toEqual([null, null, null, null]);
  await end(await visit('Wombat'));
  expect(await whereKept('Wombat')).toEqual([]);
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
  await harness.settle();
  await harness.sync();
  expect(await whereKept('Ibex Leaves')).toHaveLength(1);
  api.clock.advance({ hours: 25 });
  await runJob(api.app.dependencies, 'forget-participants');
  expect(await whereKept('Ibex Leaves')).toEqual([]);
  expect(await whereKept('Ibex Stays')).toHaveLength(1);
  sandbox.control.endMeeting(fixture.room.uuid);
  await harness.settle();
  api.clock.advance({ minutes: 5 });
  await harness.settle();
  await harness.sync();
  expect(await whereKept('Ibex Leaves')).toEqual([]);
  expect(await whereKept('Ibex Stays')).toHaveLength(1);
});
