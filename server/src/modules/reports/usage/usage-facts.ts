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
export function facts(question: FactQuery, kind: FactKind): RawBuilder<unknown> {
  const { now } = question;
  const { from, to } = question.span;
  const { source, customer, subscription, account, room, starts, ends, ending, size } = sources[kind];
  const where = [
    sql`${starts} < ${to} and (${ends} >= ${from} or ${ends} is null)`,
    ...conditions(question, { customer, subscription, account, room }, false),
  ];
  const past = [
    sql`kind = ${kind} and started_at < ${to} and ended_at >= ${from}`,
    ...conditions(question, pastColumns, true),
  ];
  return sql`
    select ${groupColumns(question, { customer, subscription, account, room })},
      ${microseconds(starts)} as started_at, ${microseconds(ending(now))} as ended_at, ${size} as size_bytes
    from ${source} where ${sql.join(where, sql` and `)}
    union all
    select ${groupColumns(question, pastColumns)}, ${microseconds(sql`started_at`)}, ${microseconds(sql`ended_at`)}, size_bytes
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
  readonly starts: RawBuilder<unknown>;
  readonly ends: RawBuilder<unknown>;
  /** Running entries and meetings end now; existing resources have no end. */
  readonly ending: (now: string) => RawBuilder<unknown>;
  readonly size: RawBuilder<unknown>;
}

const none = sql`null::uuid`;
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
    starts: sql`entry.joined_at`,
    ends: sql`entry.left_at`,
    ending: (now) => sql`coalesce(entry.left_at, greatest(${now}::timestamptz, entry.joined_at))`,
    size: sql`0`,
  },
  meeting: {
    ...columnsOf('meeting'),
    account: sql`room.account_id`,
    source: sql`meetings meeting join rooms room on room.id = meeting.room_id`,
    starts: sql`meeting.started_at`,
    ends: sql`meeting.ended_at`,
    ending: (now) => sql`coalesce(meeting.ended_at, greatest(${now}::timestamptz, meeting.started_at))`,
    size: sql`0`,
  },
  recording: {
    ...columnsOf('recording'),
    account: sql`room.account_id`,
    source: sql`recordings recording join rooms room on room.id = recording.room_id`,
    starts: sql`recording.created_at`,
    ends: sql`recording.deleted_at`,
    ending: () => sql`recording.deleted_at`,
    size: sql`coalesce(recording.size_bytes, 0)`,
  },
  room: {
    ...columnsOf('room'),
    room: sql`room.id`,
    source: sql`rooms room`,
    starts: sql`room.created_at`,
    ends: sql`null::timestamptz`,
    ending: () => sql`null::timestamptz`,
    size: sql`0`,
  },
  account: {
    customer: sql`account.subscriber_id`,
    subscription: sql`account.subscription_id`,
    account: sql`account.id`,
    room: none,
    source: sql`accounts account`,
    starts: sql`account.created_at`,
    ends: sql`null::timestamptz`,
    ending: () => sql`null::timestamptz`,
    size: sql`0`,
  },
};

/** The ids down to the level of the report; null below it. */
function groupColumns({ groups }: FactQuery, columns: FactColumns): RawBuilder<unknown> {
  const depth = groups.level === null ? -1 : levels.indexOf(groups.level);
  return sql.join(
    levels.map((level, index) => sql`${index <= depth ? columns[level] : none} as ${sql.ref(`${level}_id`)}`),
  );
}

function conditions(
  { filters, reader }: FactQuery,
  columns: FactColumns,
  isPast: boolean,
): readonly RawBuilder<unknown>[] {
  const wanted = levels.flatMap((level) => {
    const id = filters[`${level}_id`];
    return id === undefined ? [] : [sql`${columns[level]} = ${id}`];
  });
  if (reader.userId === null) return wanted;
  const byAccount = sql`${columns.account} in ${visibleAccounts(reader.userId, 'read-room')}`;
  if (isPast) {
    // A deleted resource is visible to users who can see its former account or customer.
    const byCustomer = sql`${columns.customer} in ${visibleCustomers(reader.userId, 'read-room')}`;
    return [...wanted, sql`(${byAccount} or ${byCustomer})`];
  }
  const isReached = columns.room === none ? byAccount : sql`${columns.room} in ${visibleRooms(reader.userId)}`;
  return [...wanted, isReached];
}

/** Whole microseconds since 1970; a double is exact for them until 2255. */
export function microseconds(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`round(date_part('epoch', ${instant}) * 1000000)`;
}
