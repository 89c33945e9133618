import type { UsageRow } from '@foyer/contract/resources/platform/report.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, refusalOf, unique } from './factories.ts';
import { dayAt, expectedUsage, minutesOf, type Span } from './reports-model.ts';

let api: TestApi;
let rooms: Awaited<ReturnType<typeof makeRoom>>[];
const now = '2026-03-10T12:00:00Z';

beforeAll(async () => {
  api = await startApi({ now });
  const first = await makeRoom(api);
  const { data: second } = await api.admin.createRoom({
    body: { room_name: unique('Room'), account_id: first.account.id },
  });
  rooms = [first, { ...first, room: second }, await makeRoom(api)];
});
afterAll(() => api.close());
beforeEach(async () => {
  await sql`delete from meetings`.execute(api.app.dependencies.db);
  await sql`delete from past_usage`.execute(api.app.dependencies.db);
  await sql`delete from recordings`.execute(api.app.dependencies.db);
});

interface Stay {
  readonly from: string;
  readonly until?: string | null;
}

/** Stores a meeting and its stays, as joins and polls do. */
async function recordMeeting(room: number, span: Stay, stays: readonly Stay[] = []): Promise<void> {
  const fixture = fixtureOf(room);
  const id = newUuid();
  const { db } = api.app.dependencies;
  const until = span.until === undefined ? null : span.until;
  await sql`
    insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
      created_at, updated_at)
    values (${id}, ${fixture.room}, ${fixture.customer}, ${fixture.subscription}, ${id}, 'ended',
      ${span.from}, ${until}, ${span.from}, ${span.from})`.execute(db);
  for (const stay of stays) {
    await sql`
      insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, joined_at, left_at, created_at)
      values (${newUuid()}, ${fixture.room}, ${id}, ${fixture.subscription}, 'guest', ${stay.from}, ${stay.from},
        ${stay.until ?? null}, ${stay.from})`.execute(db);
  }
}

function fixtureOf(index: number) {
  const fixture = rooms[index];
  if (!fixture) throw new Error(`There is no room ${index}.`);
  return { room: fixture.room.uuid, customer: fixture.customer.uuid, subscription: fixture.subscription.uuid };
}

async function usage(query: Record<string, unknown>): Promise<UsageRow[]> {
  return (await api.admin.readUsageReport({ query })).data;
}

function figures({ period, participant_minutes, meetings, peak_participants, peak_meetings }: UsageRow) {
  return [period, participant_minutes, meetings, peak_participants, peak_meetings];
}

describe('usage', () => {
  test('a meeting over midnight and the end of the month is divided minute by minute', async () => {
    await recordMeeting(0, { from: '2026-02-28T23:50:30Z', until: '2026-03-01T00:10:00Z' }, [
      { from: '2026-02-28T23:55:30Z', until: '2026-03-01T00:05:00Z' },
      { from: '2026-02-28T23:59:59.999Z', until: '2026-03-01T00:00:00Z' },
      { from: '2026-03-01T00:00:00Z', until: '2026-03-01T00:00:00Z' },
    ]);
    const range = { from: '2026-02-01', to: '2026-03-31' };
    // 23:55:30 to 23:59:30 and 00:00:30 to 00:04:30 are five started minutes each.
    expect((await usage({ ...range })).map(figures)).toEqual([
      ['2026-02-28', 6, 1, 2, 1],
      ['2026-03-01', 6, 0, 2, 1],
    ]);
    expect((await usage({ ...range, by: 'month' })).map(figures)).toEqual([
      ['2026-02', 6, 1, 2, 1],
      ['2026-03', 6, 0, 2, 1],
    ]);
    const days = await usage({ ...range, timezone: 'America/Sao_Paulo' });
    expect(days.map(figures)).toEqual([['2026-02-28', 12, 1, 2, 1]]);
    expect(days[0]).toMatchObject({ starts_at: '2026-02-28T03:00:00.000000Z', ends_at: '2026-03-01T03:00:00.000000Z' });
  });

  test('a running meeting counts up to now', async () => {
    await recordMeeting(0, { from: '2026-03-10T11:00:00Z', until: null }, [
      { from: '2026-03-10T11:30:30Z', until: null },
    ]);
    expect((await usage({})).map(figures)).toEqual([['2026-03-10', 30, 1, 1, 1]]);
    expect(await usage({ to: '2026-03-31', from: '2026-03-11' })).toEqual([]);
  });

  test('a leave and a join at the same instant do not overlap', async () => {
    await recordMeeting(0, { from: '2026-03-01T10:00:00Z', until: '2026-03-01T10:30:00Z' }, [
      { from: '2026-03-01T10:00:00Z', until: '2026-03-01T10:10:00Z' },
      { from: '2026-03-01T10:10:00Z', until: '2026-03-01T10:20:00Z' },
    ]);
    await recordMeeting(1, { from: '2026-03-01T10:30:00Z', until: '2026-03-01T10:40:00Z' });
    expect((await usage({})).map(figures)).toEqual([['2026-03-01', 20, 2, 1, 1]]);
  });

  test('peaks are computed per group: over all rooms of a customer, or per room', async () => {
    for (const room of [0, 1, 2]) {
      await recordMeeting(room, { from: '2026-03-01T10:00:00Z', until: '2026-03-01T11:00:00Z' }, [
        { from: '2026-03-01T10:00:00Z', until: '2026-03-01T10:30:00Z' },
      ]);
    }
    const peaks = async (group_by?: string) =>
      (await usage(group_by ? { group_by } : {})).map((row) => [row.peak_participants, row.peak_meetings]);
    expect(await peaks()).toEqual([[3, 3]]);
    expect((await peaks('customer')).toSorted(([one], [other]) => (one ?? 0) - (other ?? 0))).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(await peaks('room')).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  test('rows name the resources down to the level of the grouping', async () => {
    await recordMeeting(0, { from: '2026-03-01T10:00:00Z', until: '2026-03-01T11:00:00Z' });
    const { room, customer, subscription, account } = rooms[0] ?? expect.fail();
    const names = {
      customer_id: customer.id,
      customer_name: customer.full_name,
      subscription_id: subscription.id,
      subscription_name: subscription.name,
      account_id: account.id,
      account_name: account.account_name,
      room_id: room.id,
      room_name: room.room_name,
    };
    expect((await usage({ group_by: 'room' }))[0]).toMatchObject(names);
    expect((await usage({ group_by: 'subscription' }))[0]).toMatchObject({
      ...names,
      account_id: null,
      account_name: null,
      room_id: null,
      room_name: null,
    });
    expect((await usage({}))[0]).toMatchObject({ customer_id: null, customer_name: null });
  });

  test('filters limit the counted rows', async () => {
    for (const room of [0, 1, 2])
      await recordMeeting(room, { from: '2026-03-01T10:00:00Z', until: '2026-03-01T11:00:00Z' });
    const { room, customer, subscription, account } = rooms[0] ?? expect.fail();
    const count = async (query: Record<string, unknown>) => (await usage(query))[0]?.meetings;
    expect(await count({})).toBe(3);
    expect(await count({ customer_id: customer.id })).toBe(2);
    expect(await count({ subscription_id: subscription.uuid })).toBe(2);
    expect(await count({ account_id: account.ulid })).toBe(2);
    expect(await count({ room_id: room.id })).toBe(1);
    expect(await count({ room_id: room.id, customer_id: rooms[2]?.customer.id })).toBeUndefined();
  });

  test('recordings count in the period of their creation, and their storage until they are deleted', async () => {
    const fixture = fixtureOf(0);
    const insertRecording = (size: number, created: string, deleted: string | null) =>
      sql`insert into recordings (id, room_id, customer_id, subscription_id, provider_recording_id, state, size_bytes,
          deleted_at, created_at, updated_at)
        values (${newUuid()}, ${fixture.room}, ${fixture.customer}, ${fixture.subscription}, ${newUuid()}, 'published', ${size},
          ${deleted}, ${created}, ${created})`.execute(api.app.dependencies.db);
    await insertRecording(100, '2026-02-20T10:00:00Z', '2026-03-02T00:00:00Z');
    await insertRecording(5_000_000_000, '2026-03-02T10:00:00Z', null);
    const rows = await usage({ from: '2026-03-01', to: '2026-03-03' });
    expect(rows.map((row) => [row.period, row.recordings, row.storage_bytes])).toEqual([
      ['2026-03-01', 0, 100],
      ['2026-03-02', 1, 5_000_000_000],
      ['2026-03-03', 0, 5_000_000_000],
    ]);
  });

  test('grouped by feature, there is a row for each used feature, with its unit', async () => {
    await recordMeeting(0, { from: '2026-03-10T10:00:00Z', until: '2026-03-10T11:00:00Z' }, [
      { from: '2026-03-10T10:00:00Z', until: '2026-03-10T10:45:00Z' },
      { from: '2026-03-10T10:00:00Z', until: '2026-03-10T10:15:00Z' },
    ]);
    const rows = await usage({
      from: '2026-03-10',
      group_by: 'subscription,feature',
      subscription_id: rooms[0]?.subscription.id,
    });
    expect(rows.map(({ feature, unit, used }) => [feature, unit, used])).toEqual([
      ['max_accounts', 'accounts', 1],
      ['max_concurrent_meetings', 'meetings', 1],
      ['max_concurrent_participants', 'participants', 2],
      ['max_rooms', 'rooms', 2],
      ['participant_minutes', 'minutes', 60],
    ]);
    expect(rows[0]).toMatchObject({ subscription_id: rooms[0]?.subscription.id, participant_minutes: null });
  });

  test('usage of deleted rooms and accounts stays in the report, with their last names', async () => {
    const deletedRoom = await makeRoom(api);
    rooms.push(deletedRoom);
    await recordMeeting(3, { from: '2026-03-10T10:00:00Z', until: null }, [
      { from: '2026-03-10T10:00:00Z', until: '2026-03-10T10:10:00Z' },
      { from: '2026-03-10T11:59:00Z', until: null },
    ]);
    const before = await usage({ group_by: 'room', room_id: deletedRoom.room.id });
    await api.admin.updateAccount({ params: { account_id: deletedRoom.account.id }, body: { status: 'inactive' } });
    await api.admin.deleteAccount({ params: { account_id: deletedRoom.account.id } });
    expect(await usage({ group_by: 'room', room_id: deletedRoom.room.id })).toEqual(before);
    expect(before.map(figures)).toEqual([['2026-03-10', 11, 1, 1, 1]]);
    api.clock.advance({ days: 1 });
    const later = await usage({ group_by: 'room', room_id: deletedRoom.room.id });
    expect(later.map((row) => [...figures(row), row.room_name, row.account_name])).toEqual([
      ['2026-03-10', 11, 1, 1, 1, deletedRoom.room.room_name, deletedRoom.account.account_name],
    ]);
    api.clock.set(now);
  });
});

test("a customer's owner still sees the usage of a deleted account, other customers do not", async () => {
  const deletedRoom = await makeRoom(api);
  rooms.push(deletedRoom);
  await recordMeeting(rooms.length - 1, { from: '2026-03-10T10:00:00Z', until: '2026-03-10T10:10:00Z' }, [
    { from: '2026-03-10T10:00:00Z', until: '2026-03-10T10:05:00Z' },
  ]);
  const signInOwner = async (email: string) => {
    const login = await api.anyone.loginUser({ body: { username: email, password: 'difference engine no. 2' } });
    return api.clientWith(login.access_token);
  };
  const owner = await signInOwner(deletedRoom.customer.email);
  const other = await signInOwner((await makeCustomer(api)).email);
  const before = (await owner.readUsageReport()).data;
  expect(before.map(figures)).toEqual([['2026-03-10', 5, 1, 1, 1]]);
  await api.admin.updateAccount({ params: { account_id: deletedRoom.account.id }, body: { status: 'inactive' } });
  await api.admin.deleteAccount({ params: { account_id: deletedRoom.account.id } });
  expect((await owner.readUsageReport()).data).toEqual(before);
  expect((await other.readUsageReport()).data).toEqual([]);
});

test('days before 1970 are rejected for each field that contains one', async () => {
  const refusal = await refusalOf(
    api.admin.readUsageReport({ query: { from: '0001-01-01', to: '0001-12-31', timezone: 'Pacific/Apia' } }),
  );
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['from', 'to']]);
  const early = await refusalOf(api.admin.readUsageReport({ query: { from: '1969-12-31', to: '1970-01-02' } }));
  expect([early.status, early.errors]).toEqual([422, { from: ['The from field must not be before 1970-01-01.'] }]);
  await api.admin.readUsageReport({ query: { from: '1970-01-01', to: '1970-01-02', timezone: 'Pacific/Apia' } });
});

const zones = ['UTC', 'America/Sao_Paulo', 'America/New_York', 'Asia/Calcutta', 'Pacific/Apia', 'Australia/Lord_Howe'];
const nowMs = Date.parse(now);
/** Often close to the end of a month or to a clock change in New York. */
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

test('the report equals a simple model in any time zone and grouping; days and months add up to the charged minutes', async () => {
  const toIso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  await fc.assert(
    fc.asyncProperty(
      fc.array(span, { minLength: 1, maxLength: 12 }),
      fc.array(span, { maxLength: 5 }),
      fc.constantFrom(...zones),
      fc.constantFrom('room', 'customer', undefined),
      fc.constantFrom('day', 'month'),
      async (entries, meetings, timeZone, group_by, by) => {
        await sql`delete from meetings`.execute(api.app.dependencies.db);
        for (const { room, from, until } of meetings)
          await recordMeeting(room, { from: toIso(from) ?? '', until: toIso(until) });
        for (const { room, from, until } of entries) {
          await recordStay(room, { from: toIso(from) ?? '', until: toIso(until) });
        }
        const groupOf = (room: number) =>
          (group_by === 'room' ? rooms[room]?.room.id : group_by === 'customer' ? rooms[room]?.customer.id : '') ?? '';
        const toSpans = (stays: typeof entries): Span[] =>
          stays.map(({ room, from, until }) => ({ group: groupOf(room), from, until }));
        const today = dayAt(nowMs, timeZone);
        const fullRange = { from: '2026-02-20', to: today };
        for (const range of [fullRange, { from: '2026-03-01', to: '2026-03-08' }]) {
          const rows = await usage({ ...range, by, timezone: timeZone, ...(group_by ? { group_by } : {}) });
          const reported = rows.map((row) => [
            `${row.period} ${group_by === 'room' ? row.room_id : group_by === 'customer' ? row.customer_id : ''}`,
            {
              participant_minutes: row.participant_minutes,
              meetings: row.meetings,
              peak_participants: row.peak_participants,
              peak_meetings: row.peak_meetings,
            },
          ]);
          const expected = expectedUsage(toSpans(entries), toSpans(meetings), { ...range, by, timeZone, now: nowMs });
          expect(new Map(reported as never)).toEqual(expected);
        }
        const total = (await usage({ ...fullRange, by, timezone: timeZone })).reduce(
          (sum, row) => sum + (row.participant_minutes ?? 0),
          0,
        );
        expect(total).toBe(toSpans(entries).reduce((sum, entry) => sum + minutesOf(entry, nowMs), 0));
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);

/** Stores a stay in a meeting that never started, so that the report does not count the meeting. */
async function recordStay(room: number, stay: Stay): Promise<void> {
  const fixture = fixtureOf(room);
  const id = newUuid();
  const { db } = api.app.dependencies;
  await sql`
    insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, ended_at, created_at, updated_at)
    values (${id}, ${fixture.room}, ${fixture.customer}, ${fixture.subscription}, ${id}, 'ended', ${stay.until ?? null},
      ${stay.from}, ${stay.from})`.execute(db);
  await sql`
    insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, joined_at, left_at, created_at)
    values (${newUuid()}, ${fixture.room}, ${id}, ${fixture.subscription}, 'guest', ${stay.from}, ${stay.from},
      ${stay.until ?? null}, ${stay.from})`.execute(db);
}

test.each([
  [{ from: 'yesterday' }, 'from'],
  [{ from: '2026-03-02', to: '2026-03-01' }, 'to'],
  [{ from: '2020-01-01', to: '2026-03-01' }, 'to'],
  [{ from: '1990-01-01', to: '2026-03-01', by: 'month' }, 'to'],
  [{ by: 'week' }, 'by'],
  [{ timezone: 'Mars/Olympus' }, 'timezone'],
  [{ format: 'xlsx' }, 'format'],
  [{ group_by: 'country' }, 'group_by'],
  [{ group_by: 'customer,room' }, 'group_by'],
  [{ customer_id: 'room_1' }, 'customer_id'],
  [{ customer_id: newUuid() }, 'customer_id'],
  [{ subscription_id: newUuid() }, 'subscription_id'],
  [{ account_id: newUuid() }, 'account_id'],
  [{ room_id: newUuid() }, 'room_id'],
  [{ orderBy: 'price' }, 'orderBy'],
  [{ sortedBy: 'up' }, 'sortedBy'],
])('a usage report with the query %j is rejected for its member %s', async (query, member) => {
  const refusal = await refusalOf(api.admin.readUsageReport({ query: query as never }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, [member]]);
});

test('all errors of a query are reported together', async () => {
  const refusal = await refusalOf(
    api.admin.readUsageReport({ query: { by: 'week', group_by: 'x', orderBy: 'y', room_id: 'z' } as never }),
  );
  expect(Object.keys(refusal.errors).toSorted()).toEqual(['by', 'group_by', 'orderBy', 'room_id']);
});

test('rows have the requested order', async () => {
  await recordMeeting(0, { from: '2026-03-01T10:00:00Z', until: '2026-03-01T11:00:00Z' }, [
    { from: '2026-03-01T10:00:00Z', until: '2026-03-01T10:05:00Z' },
  ]);
  await recordMeeting(2, { from: '2026-03-02T10:00:00Z', until: '2026-03-02T11:00:00Z' }, [
    { from: '2026-03-02T10:00:00Z', until: '2026-03-02T10:50:00Z' },
  ]);
  const periods = async (query: Record<string, string>) => (await usage(query)).map(({ period }) => period.slice(8));
  expect(await periods({})).toEqual(['01', '02']);
  expect(await periods({ orderBy: 'period', sortedBy: 'desc' })).toEqual(['02', '01']);
  expect(await periods({ group_by: 'room', orderBy: 'participant_minutes;room_name', sortedBy: 'desc' })).toEqual([
    '02',
    '01',
  ]);
});
