import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { visibleAccounts, visibleCustomers, visibleRooms } from '../memberships/index.ts';

type FilterName = keyof typeof existenceChecks;

/** The filters whose resource does not exist or is not visible to the user. */
export async function findUnknownFilters(
  db: Database,
  filters: Readonly<Partial<Record<FilterName, Uuid>>>,
  userId: Uuid | null,
): Promise<FilterName[]> {
  const usedFilters = (Object.keys(existenceChecks) as FilterName[]).filter((name) => filters[name] !== undefined);
  if (usedFilters.length === 0) return [];
  const checks = usedFilters.map(
    (name) => sql`${existenceChecks[name](filters[name] ?? '', userId)} as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Partial<Record<FilterName, boolean>>>`select ${sql.join(checks)}`.execute(db);
  return usedFilters.filter((name) => rows[0]?.[name] !== true);
}

/** Includes deleted resources that reports still count. */
const existenceChecks = {
  customer_id: (id: Uuid, userId: Uuid | null) =>
    userId === null
      ? sql`(exists (select from customers where id = ${id}) or exists (select from past_usage where customer_id = ${id})
          or exists (select from subscription_versions where customer_id = ${id}))`
      : sql`exists (select from rooms where customer_id = ${id} and id in ${visibleRooms(userId)})
          or exists (select from customers where id = ${id} and id in ${visibleCustomers(userId)})`,
  subscription_id: (id: Uuid, userId: Uuid | null) =>
    userId === null
      ? sql`(exists (select from subscriptions where id = ${id})
          or exists (select from past_usage where subscription_id = ${id}))`
      : sql`exists (select from rooms where subscription_id = ${id} and id in ${visibleRooms(userId)})
          or exists (select from subscriptions where id = ${id}
            and subscriber_id in ${visibleCustomers(userId, 'read-subscriptions')})
          or ${isPast('subscription_id', id, userId)}`,
  account_id: (id: Uuid, userId: Uuid | null) =>
    userId === null
      ? sql`(exists (select from accounts where id = ${id}) or exists (select from past_usage where account_id = ${id}))`
      : sql`exists (select from rooms where account_id = ${id} and id in ${visibleRooms(userId)})
          or exists (select from accounts where id = ${id} and id in ${visibleAccounts(userId)})
          or ${isPast('account_id', id, userId)}`,
  room_id: (id: Uuid, userId: Uuid | null) =>
    userId === null
      ? sql`(exists (select from rooms where id = ${id}) or exists (select from past_usage where room_id = ${id}))`
      : sql`exists (select from rooms where id = ${id} and id in ${visibleRooms(userId)})
          or ${isPast('room_id', id, userId)}`,
  package_id: (id: Uuid) =>
    sql`(exists (select from service_packages where id = ${id})
      or exists (select from subscription_versions where package_id = ${id}))`,
} satisfies Record<string, (id: Uuid, userId: Uuid | null) => RawBuilder<unknown>>;

/** Whether the resource was deleted, and the user can see its former account or customer. */
function isPast(column: 'subscription_id' | 'account_id' | 'room_id', id: Uuid, userId: Uuid): RawBuilder<unknown> {
  return sql`exists (select from past_usage where ${sql.ref(column)} = ${id}
    and (account_id in ${visibleAccounts(userId, 'read-room')} or customer_id in ${visibleCustomers(userId, 'read-room')}))`;
}
