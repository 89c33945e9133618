import { type RawBuilder, sql } from 'kysely';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { visibleAccounts, visibleCustomers, visibleRooms } from '../../memberships/index.ts';
import type { Instant } from '../../../platform/time/instant.ts';
import type { ReportRequest, UsageFilters, UsageGroups, UsageLevel } from '../report-request.ts';

export interface UsageQuery extends Pick<ReportRequest, 'periods' | 'now' | 'order'> {
  readonly groups: UsageGroups;
  readonly filters: UsageFilters;
  readonly reader: NameReader;
}

/** Limits a user's report to visible resources, and names to those that the reader can see. */
export interface NameReader {
  readonly userId: Uuid | null;
  readonly mayName: Readonly<Record<UsageLevel, boolean>>;
}

/** `to` is exclusive. */
export interface FactQuery extends Pick<UsageQuery, 'now' | 'groups' | 'filters'> {
  readonly span: { readonly from: Instant; readonly to: Instant };
  readonly reader: Pick<NameReader, 'userId'>;
}

export const levels = ['customer', 'subscription', 'account', 'room'] as const satisfies readonly UsageLevel[];

export type FactKind = 'entry' | 'meeting' | 'recording' | 'room' | 'account';

/**
 * The facts of one kind, of existing and deleted resources: start and end in microseconds since 1970, and the ids down
 * to the level of the report.
 */
export function facts(query: FactQuery, kind: FactKind): RawBuilder<unknown> {
  const { now } = query;
  const { from, to } = query.span;
  const { source, customer, subscription, account, room, startColumn, endColumn, endOrNow, size } = sources[kind];
  const where = [
    sql`${startColumn} < ${to} and (${endColumn} >= ${from} or ${endColumn} is null)`,
    ...conditions(query, { customer, subscription, account, room }, false),
  ];
  const past = [
    sql`kind = ${kind} and started_at < ${to} and ended_at >= ${from}`,
    ...conditions(query, pastColumns, true),
  ];
  return sql`
    select ${groupColumns(query, { customer, subscription, account, room })},
      ${microseconds(startColumn)} as started_at, ${microseconds(endOrNow(now))} as ended_at, ${size} as size_bytes
    from ${source} where ${sql.join(where, sql` and `)}
    union all
    select ${groupColumns(query, pastColumns)}, ${microseconds(sql`started_at`)}, ${microseconds(sql`ended_at`)}, size_bytes
    from past_usage where ${sql.join(past, sql` and `)}`;
}

interface FactColumns {
  readonly customer: RawBuilder<unknown>;
  readonly subscription: RawBuilder<unknown>;
  readonly account: RawBuilder<unknown>;
  readonly room: RawBuilder<unknown>;
}

interface FactSource extends FactColumns {
  readonly source: RawBuilder<unknown>;
  readonly startColumn: RawBuilder<unknown>;
  readonly endColumn: RawBuilder<unknown>;
  /** Running entries and meetings end now; existing resources have no end. */
  readonly endOrNow: (now: string) => RawBuilder<unknown>;
  readonly size: RawBuilder<unknown>;
}

const noId = sql`null::uuid`;
const pastColumns: FactColumns = columnsOf('past_usage');

function columnsOf(table: string): FactColumns {
  return {
    customer: sql.ref(`${table}.customer_id`),
    subscription: sql.ref(`${table}.subscription_id`),
    account: sql.ref(`${table}.account_id`),
    room: sql.ref(`${table}.room_id`),
  };
}

const sources: Readonly<Record<FactKind, FactSource>> = {
  entry: {
    ...columnsOf('meeting'),
    account: sql`room.account_id`,
    source: sql`room_entries entry join meetings meeting on meeting.id = entry.meeting_id
      join rooms room on room.id = meeting.room_id`,
    startColumn: sql`entry.joined_at`,
    endColumn: sql`entry.left_at`,
    endOrNow: (now) => sql`coalesce(entry.left_at, greatest(${now}::timestamptz, entry.joined_at))`,
    size: sql`0`,
  },
  meeting: {
    ...columnsOf('meeting'),
    account: sql`room.account_id`,
    source: sql`meetings meeting join rooms room on room.id = meeting.room_id`,
    startColumn: sql`meeting.started_at`,
    endColumn: sql`meeting.ended_at`,
    endOrNow: (now) => sql`coalesce(meeting.ended_at, greatest(${now}::timestamptz, meeting.started_at))`,
    size: sql`0`,
  },
  recording: {
    ...columnsOf('recording'),
    account: sql`room.account_id`,
    source: sql`recordings recording join rooms room on room.id = recording.room_id`,
    startColumn: sql`recording.created_at`,
    endColumn: sql`recording.deleted_at`,
    endOrNow: () => sql`recording.deleted_at`,
    size: sql`coalesce(recording.size_bytes, 0)`,
  },
  room: {
    ...columnsOf('room'),
    room: sql`room.id`,
    source: sql`rooms room`,
    startColumn: sql`room.created_at`,
    endColumn: sql`null::timestamptz`,
    endOrNow: () => sql`null::timestamptz`,
    size: sql`0`,
  },
  account: {
    customer: sql`account.subscriber_id`,
    subscription: sql`account.subscription_id`,
    account: sql`account.id`,
    room: noId,
    source: sql`accounts account`,
    startColumn: sql`account.created_at`,
    endColumn: sql`null::timestamptz`,
    endOrNow: () => sql`null::timestamptz`,
    size: sql`0`,
  },
};

/** The ids down to the level of the report; null below it. */
function groupColumns({ groups }: FactQuery, columns: FactColumns): RawBuilder<unknown> {
  const depth = groups.level === null ? -1 : levels.indexOf(groups.level);
  return sql.join(
    levels.map((level, index) => sql`${index <= depth ? columns[level] : noId} as ${sql.ref(`${level}_id`)}`),
  );
}

function conditions(
  { filters, reader }: FactQuery,
  columns: FactColumns,
  isPast: boolean,
): readonly RawBuilder<unknown>[] {
  const filterConditions = levels.flatMap((level) => {
    const id = filters[`${level}_id`];
    return id === undefined ? [] : [sql`${columns[level]} = ${id}`];
  });
  if (reader.userId === null) return filterConditions;
  const byAccount = sql`${columns.account} in ${visibleAccounts(reader.userId, 'read-room')}`;
  if (isPast) {
    // A deleted resource is visible to users who can see its former account or customer.
    const byCustomer = sql`${columns.customer} in ${visibleCustomers(reader.userId, 'read-room')}`;
    return [...filterConditions, sql`(${byAccount} or ${byCustomer})`];
  }
  const isVisible = columns.room === noId ? byAccount : sql`${columns.room} in ${visibleRooms(reader.userId)}`;
  return [...filterConditions, isVisible];
}

/** Whole microseconds since 1970; a double is exact for them until 2255. */
export function microseconds(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`round(date_part('epoch', ${instant}) * 1000000)`;
}
