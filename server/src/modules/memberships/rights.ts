import type { RightLevel } from '@foyer/contract/endpoint.ts';
import { type MembershipLevel, type Right, rightsOfLevel } from '@foyer/contract/membership.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import type { Rights } from '../../platform/http/guard.ts';
import type { Uuid } from '../../platform/identifier.ts';

interface MembershipRow {
  readonly level: MembershipLevel;
  readonly owner: boolean;
  readonly permissions: readonly string[];
}

/**
 * What the user's memberships in the thing, and in what it belongs to, allow there. Null for what does not exist or
 * belongs to a customer without access: the two look the same.
 */
export async function rightsOf(db: Database | Tx, userId: Uuid, level: RightLevel, id: Uuid): Promise<Rights | null> {
  const { rows } = await sql<MembershipRow>`
    select held.level, held.owner, held.permissions from ${placeOf(level, id)} place
    join customers customer on customer.id = place.customer_id and customer.status in ('active', 'suspended')
    cross join lateral (
      select 'customer' as level, owner, permissions from customer_users
      where customer_id = place.customer_id and user_id = ${userId}
      union all
      select 'account', owner, permissions from account_users
      where account_id = place.account_id and user_id = ${userId}
      union all
      select 'room', owner, permissions from room_users where room_id = place.room_id and user_id = ${userId}
    ) held
  `.execute(db);
  return rows.length === 0 ? null : rightsOfMemberships(rows);
}

function placeOf(level: RightLevel, id: Uuid): RawBuilder<unknown> {
  const none = sql`null::uuid`;
  switch (level) {
    case 'customer':
      return sql`(select ${id}::uuid as customer_id, ${none} as account_id, ${none} as room_id)`;
    case 'subscription':
      return sql`(select subscriber_id as customer_id, ${none} as account_id, ${none} as room_id
        from subscriptions where id = ${id})`;
    case 'account':
      return sql`(select subscriber_id as customer_id, id as account_id, ${none} as room_id
        from accounts where id = ${id})`;
    case 'room':
      return sql`(select customer_id, account_id, id as room_id from rooms where id = ${id})`;
  }
}

/** A membership gives what it names of its level; the owner has all of it. */
function rightsOfMemberships(rows: readonly MembershipRow[]): Rights {
  const rights = new Set<Right>();
  for (const { level, owner, permissions } of rows) {
    for (const right of rightsOfLevel[level]) if (owner || permissions.includes(right)) rights.add(right);
  }
  return { rights, owner: rows.some(({ owner }) => owner) };
}
