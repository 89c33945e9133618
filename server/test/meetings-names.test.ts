import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorker } from '../src/worker.ts';
import { arrive, openStage, type Stage } from './meeting-stage.ts';
import { runJob } from '../src/modules.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Of all tables those that hold the word, with the row as text. */
async function whereKept(word: string): Promise<string[]> {
  const { pool } = stage.api.app.connection;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select (t.*)::text as row from ${name} t where (t.*)::text ilike '%' || $1 || '%'`,
      [word],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

const tables = (kept: readonly string[]) => [...new Set(kept.map((each) => each.split(':')[0]))];

let keys = 0;

/** Somebody of the name comes in every way there is: by the API, by the page, past the door, refused, and in vain. */
async function visit(name: string) {
  const { api, sandbox } = stage;
  const door = await stage.aRoom({ room: { is_public: true, room_settings: { anyone_can_start: true } } });
  const { data: hook } = await api.admin.createRoomToken({ params: door.params, body: { role: 'attendee' } });
  await stage.enter(door, `${name} One`);
  const answer = await fetch(`${api.url}/api/v1/rooms/${door.room.id}/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `names-${++keys}` },
    body: JSON.stringify({ name: `${name} Two`, token: hook.token }),
  });
  const { data } = (await answer.json()) as { data: { url: string } };
  await arrive(sandbox, data.url);
  const { data: room } = await api.admin.readRoom({ params: door.params });
  const page = new URL(room.url);
  const entered = await fetch(`${api.url}${page.pathname}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: api.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ name: `${name} Three` }).toString(),
  });
  expect([entered.status, entered.headers.get('location')]).toEqual([303, expect.stringContaining('/join?')]);
  await arrive(sandbox, entered.headers.get('location') ?? '');
  sandbox.control.joinUser({ meetingID: door.room.uuid, fullName: `${name} Outside`, userID: `${name}-id` });
  await stage.settle();
  await stage.sync();
  // Refused, a name that is none, and a provider that fails with everything in its address.
  const refused = async (body: object) =>
    await fetch(`${api.url}/api/v1/rooms/${door.room.id}/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await refused({ name: `${name} Four`, token: 'frm_none' });
  await refused({ name: [`${name} Five`] });
  await refused({ name: `${name} Six`.repeat(100) });
  await api.admin.checkRoomEntry({ params: door.params, body: { name: `${name} Seven`, token: hook.token } });
  sandbox.control.injectFault({ kind: 'http-error', status: 500, times: 1 });
  await refused({ name: `${name} Eight`, token: hook.token });
  sandbox.control.clearFaults();
  return door;
}

async function end(door: Awaited<ReturnType<typeof visit>>) {
  const { api } = stage;
  api.clock.advance({ minutes: 3 });
  await stage.sync();
  const [meeting] = await stage.meetings(door);
  await api.admin.endMeeting({ params: { meeting_id: meeting?.id ?? '' } });
  api.clock.advance({ minutes: 5 });
  await stage.settle();
  for (const job of ['sync-meetings', 'roll-up-usage', 'seal-audit', 'sync-recordings', 'send-mails'])
    await runJob(api.app.dependencies, job);
  return meeting?.id ?? '';
}

test('a name is in one table until its days are over, and nowhere after: not in any table, log, metric or answer', async () => {
  const { api } = stage;
  const name = 'Zyxomma';
  const door = await visit(name);
  const meetingId = await end(door);
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
  const [meeting] = await stage.meetings(door);
  expect(JSON.stringify(meeting)).not.toContain(name);
  // What is told again of it, as late as may be, brings none back.
  for (const { id } of stage.sandbox.control.state().callbacks) stage.sandbox.control.replayCallback(id);
  await stage.sandbox.control.callbacksSent();
  await stage.sync();
  expect(await whereKept(name)).toEqual([]);
});

test('with no day no name is ever written, and those that there are go at once', async () => {
  const { api } = stage;
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

test('who left a meeting that goes on for longer than names are kept is forgotten, and the record brings no name back', async () => {
  const { api, sandbox } = stage;
  await api.admin.updateSettings({ body: { participant_names_days: 1 } });
  const door = await stage.aRoom();
  await stage.enter(door, 'Ibex Stays');
  const gone = await stage.enter(door, 'Ibex Leaves', 'attendee');
  await stage.sync();
  sandbox.control.leaveUser({ sessionToken: gone.sessionToken });
  await stage.settle();
  await stage.sync();
  expect(await whereKept('Ibex Leaves')).toHaveLength(1);
  api.clock.advance({ hours: 25 });
  await runJob(api.app.dependencies, 'forget-participants');
  expect(await whereKept('Ibex Leaves')).toEqual([]);
  expect(await whereKept('Ibex Stays')).toHaveLength(1);
  sandbox.control.endMeeting(door.room.uuid);
  await stage.settle();
  api.clock.advance({ minutes: 5 });
  await stage.settle();
  await stage.sync();
  expect(await whereKept('Ibex Leaves')).toEqual([]);
  expect(await whereKept('Ibex Stays')).toHaveLength(1);
});
