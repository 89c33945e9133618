import type { UsageRow } from '@foyer/contract/resources/platform/report.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, unique } from './factories.ts';
import { dayAt, expectedUsage, type Span } from './reports-model.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let rooms: Awaited<ReturnType<typeof makeRoom>>[];
const now = '2026-03-10T12:00:00Z';
const nowMs = Date.parse(now);

beforeAll(async () => {
  api = await startApi({ now });
  const first = await makeRoom(api);
  rooms = [first, { ...first, room: await createSecondRoom(first.account.id) }, await makeRoom(api)];
});
afterAll(() => api.close());
beforeEach(async () => {
  await sql`delete from meetings`.execute(api.app.dependencies.db);
  await sql`delete from past_usage`.execute(api.app.dependencies.db);
  await setTimeZone('UTC');
});

async function createSecondRoom(account_id: string) {
  return (await api.admin.createRoom({ body: { room_name: unique('Room'), account_id } })).data;
}

async function setTimeZone(system_timezone: string): Promise<void> {
  await api.admin.updateSettings({ body: { system_timezone } });
}

async function rollUp(): Promise<number> {
  return await runJob(api.app.dependencies, 'roll-up-usage');
}

function fixtureOf(index: number) {
  const fixture = rooms[index] ?? expect.fail(`There is no room ${index}.`);
  return { room: fixture.room.uuid, customer: fixture.customer.uuid, subscription: fixture.subscription.uuid };
}

const toIso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** A meeting with one stay of the same length. */
async function recordMeeting(room: number, from: number, until: number | null): Promise<string> {
  const { db } = api.app.dependencies;
  const fixture = fixtureOf(room);
  const id = newUuid();
  await sql`
    insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
      created_at, updated_at)
    values (${id}, ${fixture.room}, ${fixture.customer}, ${fixture.subscription}, ${id}, 'ended', ${toIso(from)}, ${toIso(until)},
      ${toIso(from)}, ${toIso(from)})`.execute(db);
  await sql`
    insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, joined_at, left_at, created_at)
    values (${newUuid()}, ${fixture.room}, ${id}, ${fixture.subscription}, 'guest', ${toIso(from)}, ${toIso(from)}, ${toIso(until)},
      ${toIso(from)})`.execute(db);
  return id;
}

async function usage(query: Record<string, unknown>): Promise<UsageRow[]> {
  return (await api.admin.readUsageReport({ query })).data;
}

/** The same report, without the daily roll-ups. */
async function liveUsage(query: Record<string, unknown>): Promise<UsageRow[]> {
  const { db } = api.app.dependencies;
  const { rows } = await sql<{ starts_at: string }>`
    update usage_days set is_stale = true where not is_stale returning starts_at`.execute(db);
  try {
    return await usage(query);
  } finally {
    await sql`update usage_days set is_stale = false
      where starts_at = any(${rows.map(({ starts_at }) => starts_at)}::timestamptz[])`.execute(db);
  }
}

async function readStoredDays(): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select to_char(starts_at, 'MM-DD') as day from usage_days where not is_stale and not tstzrange(starts_at, ends_at)
      && (select coalesce(range_agg(tstzrange(from_at, until_at, '[]')), '{}') from usage_touched)
    order by starts_at`.execute(api.app.dependencies.db);
  return rows.map(({ day }) => day);
}

/** Changes the stored minutes, so that a test can distinguish stored days from computed ones. */
async function falsifyStoredMinutes(): Promise<void> {
  await sql`update usage_by_day set participant_minutes = participant_minutes + 1000`.execute(api.app.dependencies.db);
}

const readMinutes = async (query: Record<string, unknown> = {}) =>
  (await usage({ from: '2026-03-01', ...query })).map((row) => [row.period.slice(5), row.participant_minutes]);

test('past days are aggregated once, and today and changed days are computed for each report', async () => {
  const [first] = [
    await recordMeeting(0, Date.parse('2026-03-01T10:00:00Z'), Date.parse('2026-03-01T10:10:00Z')),
    await recordMeeting(1, Date.parse('2026-03-03T10:00:00Z'), Date.parse('2026-03-03T10:20:00Z')),
    await recordMeeting(2, Date.parse('2026-03-10T10:00:00Z'), null),
  ];
  expect(await rollUp()).toBeGreaterThanOrEqual(9);
  expect(await rollUp()).toBe(0);
  await falsifyStoredMinutes();
  expect(await readMinutes()).toEqual([
    ['03-01', 1010],
    ['03-03', 1020],
    ['03-10', 120],
  ]);
  await sql`update room_entries set left_at = '2026-03-01T10:30:00Z' where meeting_id = ${first}`.execute(
    api.app.dependencies.db,
  );
  expect(await readMinutes()).toEqual([
    ['03-01', 30],
    ['03-03', 1020],
    ['03-10', 120],
  ]);
  expect(await rollUp()).toBe(1);
  expect(await readMinutes()).toEqual([
    ['03-01', 30],
    ['03-03', 1020],
    ['03-10', 120],
  ]);
});

test('changed and deleted data marks its days as stale in the same transaction', async () => {
  const { db } = api.app.dependencies;
  const id = await recordMeeting(0, Date.parse('2026-03-02T10:00:00Z'), Date.parse('2026-03-05T10:00:00Z'));
  await rollUp();
  const daysMadeStaleBy = async (statement: ReturnType<typeof sql>) => {
    const before = new Set(await readStoredDays());
    await statement.execute(db);
    const after = new Set(await readStoredDays());
    await rollUp();
    return [...before].filter((day) => !after.has(day));
  };
  expect(await daysMadeStaleBy(sql`update meetings set participant_count = 3, observed_at = ${now}`)).toEqual([]);
  expect(await daysMadeStaleBy(sql`update meetings set ended_at = '2026-03-04T10:00:00Z'`)).toEqual(['03-04', '03-05']);
  expect(await daysMadeStaleBy(sql`update meetings set started_at = '2026-03-01T10:00:00Z'`)).toEqual([
    '03-01',
    '03-02',
    '03-03',
    '03-04',
  ]);
  expect(await daysMadeStaleBy(sql`update room_entries set left_at = '2026-03-05T23:00:00Z'`)).toEqual(['03-05']);
  expect(await daysMadeStaleBy(sql`update room_entries set left_at = null`)).toEqual([
    '03-05',
    '03-06',
    '03-07',
    '03-08',
    '03-09',
  ]);
  expect(await daysMadeStaleBy(sql`update room_entries set left_at = ${now}`)).toEqual([]);
  expect(await daysMadeStaleBy(sql`delete from room_entries where meeting_id = ${id}`)).toHaveLength(8);
  expect(await daysMadeStaleBy(sql`delete from meetings`)).toEqual(['03-01', '03-02', '03-03', '03-04']);
});

test('deleting a room changes no past day, and the room stays in the report', async () => {
  const fixture = rooms[0] ?? expect.fail();
  const room = await createSecondRoom(fixture.account.id);
  rooms.push({ ...fixture, room });
  await recordMeeting(rooms.length - 1, Date.parse('2026-03-04T23:00:00Z'), Date.parse('2026-03-05T01:00:00Z'));
  await rollUp();
  const before = await usage({ from: '2026-03-01', group_by: 'room' });
  const days = await readStoredDays();
  await api.admin.deleteRoom({ params: { room_id: room.id } });
  rooms.pop();
  expect(await readStoredDays()).toEqual(days);
  expect(before).toHaveLength(2);
  expect(await usage({ from: '2026-03-01', group_by: 'room' })).toEqual(before);
  expect(await liveUsage({ from: '2026-03-01', group_by: 'room' })).toEqual(before);
});

test('in a time zone other than that of the system, months use the stored days within them, and days are computed for each report', async () => {
  await recordMeeting(0, Date.parse('2026-02-28T23:30:00Z'), Date.parse('2026-03-01T00:30:00Z'));
  await recordMeeting(0, Date.parse('2026-03-05T10:00:00Z'), Date.parse('2026-03-05T10:10:00Z'));
  await rollUp();
  await falsifyStoredMinutes();
  const months = { from: '2026-02-01', by: 'month', timezone: 'America/Sao_Paulo' };
  expect(await readMinutes(months)).toEqual([
    ['02', 1060],
    ['03', 1010],
  ]);
  expect(await readMinutes({ timezone: 'America/Sao_Paulo', from: '2026-02-01' })).toEqual([
    ['02-28', 60],
    ['03-05', 10],
  ]);
  await setTimeZone('America/Sao_Paulo');
  expect(await readMinutes(months)).toEqual([
    ['02', 1060],
    ['03', 1010],
  ]);
  await rollUp();
  expect(await readMinutes(months)).toEqual([
    ['02', 60],
    ['03', 10],
  ]);
});

test('concurrent processes aggregate each day once', async () => {
  for (const day of ['02', '04', '06'])
    await recordMeeting(0, Date.parse(`2026-03-${day}T10:00:00Z`), Date.parse(`2026-03-${day}T11:00:00Z`));
  const other = await api.another();
  try {
    await Promise.all([rollUp(), runJob(other.app.dependencies, 'roll-up-usage'), rollUp()]);
    await rollUp();
  } finally {
    await other.close();
  }
  expect(await readMinutes({ by: 'month' })).toEqual([['03', 180]]);
  await falsifyStoredMinutes();
  expect(await readMinutes({ by: 'month' })).toEqual([['03', 9180 - 9000 + 3000]]);
});

test('the roll-up waits for open transactions, so that none of their changes is missed', async () => {
  const { db, clock } = { ...api.app.dependencies, clock: api.clock };
  await rollUp();
  const id = await recordMeeting(0, Date.parse('2026-03-10T10:00:00Z'), null);
  const writer = await api.app.connection.pool.connect();
  try {
    await writer.query('begin');
    await writer.query(`update room_entries set left_at = '2026-03-10T11:00:00Z' where meeting_id = '${id}'`);
    clock.set('2026-03-11T00:00:01Z');
    const rolling = rollUp();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await readStoredDays()).not.toContain('03-10');
    await writer.query('commit');
    expect(await rolling).toBe(1);
    await falsifyStoredMinutes();
    expect(await readMinutes({ from: '2026-03-10', to: '2026-03-10' })).toEqual([['03-10', 1060]]);
  } finally {
    writer.release();
    clock.set(now);
    await sql`delete from usage_days where starts_at >= '2026-03-10'`.execute(db);
    await sql`delete from usage_by_day where starts_at >= '2026-03-10'`.execute(db);
    await sql`update usage_roll_up set reaches_at = '2026-03-10'`.execute(db);
  }
});

const zones = ['UTC', 'America/Sao_Paulo', 'America/New_York', 'Asia/Calcutta', 'Pacific/Apia', 'Australia/Lord_Howe'];
const moment = fc.oneof(
  fc.integer({ min: Date.parse('2026-02-26T00:00:00Z'), max: nowMs - 1 }),
  fc
    .constantFrom(
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00Z',
      '2026-03-08T05:00:00Z',
      '2026-03-08T06:59:59.999Z',
    )
    .map((text) => Date.parse(text)),
);
const span = fc
  .record({
    room: fc.integer({ min: 0, max: 2 }),
    from: moment,
    length: fc.oneof(
      fc.constantFrom(0, 1, 59_999, 60_000, 60_001),
      fc.integer({ min: 0, max: 7_200_000 }),
      fc.integer({ min: 0, max: 300_000_000 }),
    ),
    isRunning: fc.boolean(),
  })
  .map(({ room, from, length, isRunning }) => ({
    room,
    from,
    until: from + length >= nowMs || (isRunning && length > 100_000_000) ? null : from + length,
  }));
const step = fc.oneof(
  fc.record({ kind: fc.constant('record' as const), span }),
  fc.record({ kind: fc.constant('correct' as const), index: fc.nat(), span }),
  fc.record({ kind: fc.constant('delete' as const), index: fc.nat() }),
  fc.record({ kind: fc.constant('roll up' as const) }),
  fc.record({ kind: fc.constant('mark stale' as const), lastDigit: fc.nat({ max: 9 }) }),
  fc.record({ kind: fc.constant('zone' as const), zone: fc.constantFrom(...zones) }),
);

test('for any order of changes and roll-ups, and in any time zone, the report equals a simple model and the report without roll-ups', async () => {
  const { db } = api.app.dependencies;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 14 }),
      fc.constantFrom(...zones),
      fc.constantFrom('room', 'account', 'subscription', 'customer', undefined),
      fc.constantFrom('day', 'month'),
      async (steps, timezone, group_by, by) => {
        await sql`delete from meetings`.execute(db);
        const spansByMeeting = new Map<string, { room: number; from: number; until: number | null }>();
        for (const step of steps) {
          const id =
            'index' in step ? [...spansByMeeting.keys()][step.index % Math.max(1, spansByMeeting.size)] : undefined;
          const old = id === undefined ? undefined : spansByMeeting.get(id);
          if (step.kind === 'record')
            spansByMeeting.set(await recordMeeting(step.span.room, step.span.from, step.span.until), step.span);
          else if (step.kind === 'roll up') await rollUp();
          else if (step.kind === 'zone') await setTimeZone(step.zone);
          else if (step.kind === 'mark stale')
            await sql`update usage_days set is_stale = true
              where extract(day from starts_at)::int % 10 = ${step.lastDigit}::int`.execute(db);
          else if (id !== undefined && step.kind === 'delete') {
            await sql`delete from meetings where id = ${id}`.execute(db);
            spansByMeeting.delete(id);
          } else if (id !== undefined && old && step.kind === 'correct') {
            const [from, until] = [toIso(step.span.from), toIso(step.span.until)];
            await sql`update meetings set started_at = ${from}, ended_at = ${until} where id = ${id}`.execute(db);
            await sql`update room_entries set joined_at = ${from}, left_at = ${until} where meeting_id = ${id}`.execute(
              db,
            );
            spansByMeeting.set(id, { ...step.span, room: old.room });
          }
        }
        const idOf = (row: UsageRow) => (group_by === undefined ? '' : row[`${group_by}_id`]) ?? '';
        const groupOf = (index: number) => {
          const fixture = rooms[index] ?? expect.fail();
          return group_by === undefined ? '' : fixture[group_by].id;
        };
        const spans: Span[] = [...spansByMeeting.values()].map(({ room, from, until }) => ({
          group: groupOf(room),
          from,
          until,
        }));
        const query = { by, timezone, ...(group_by ? { group_by } : {}) };
        for (const range of [
          { from: '2026-02-20', to: dayAt(nowMs, timezone) },
          { from: '2026-03-01', to: '2026-03-08' },
        ]) {
          const rows = await usage({ ...range, ...query });
          const reported = rows.map((row) => [
            `${row.period} ${idOf(row)}`,
            {
              participant_minutes: row.participant_minutes,
              meetings: row.meetings,
              peak_participants: row.peak_participants,
              peak_meetings: row.peak_meetings,
            },
          ]);
          const expectedQuery = { ...range, by, timeZone: timezone, now: nowMs };
          expect(new Map(reported as never)).toEqual(expectedUsage(spans, spans, expectedQuery));
          expect(await liveUsage({ ...range, ...query })).toEqual(rows);
          const customer_id = rooms[0]?.customer.id;
          expect(await usage({ ...range, ...query, customer_id })).toEqual(
            await liveUsage({ ...range, ...query, customer_id }),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
}, 180_000);
