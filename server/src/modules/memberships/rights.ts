import type { RightLevel } from '@foyer/contract/conventions/endpoint.ts';
import { type MembershipLevel, type Right, rightsOfLevel } from '@foyer/contract/resources/membership.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import type { Rights } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withAccess } from './reach.ts';

interface MembershipRow {
  readonly level: MembershipLevel;
  readonly owner: boolean;
  readonly permissions: readonly string[];
  /** Whether the membership is in a customer above that of the thing. */
  readonly above: boolean;
  /** Whether it changes what is there: a suspended reseller reads and moderates, and changes nothing below it. */
  readonly changes: boolean;
}

/**
 * What the user's memberships in the thing, and in what it belongs to up to the topmost reseller, allow there. Null for what does not exist or
 * belongs to a customer without access: the two look the same.
 */
export async function rightsOf(db: Database | Tx, userId: Uuid, level: RightLevel, id: Uuid): Promise<Rights | null> {
  const { rows } = await sql<MembershipRow>`
    select held.* from ${placeOf(level, id)} place
    join customers customer on customer.id = place.customer_id
    cross join lateral (
      select 'customer' as level, owner, permissions, false as above, true as changes from customer_users
      where customer_id = customer.id and user_id = ${userId} and ${withAccess('customer')}
      union all
      select 'account', owner, permissions, false, true from account_users
      where account_id = place.account_id and user_id = ${userId} and ${withAccess('customer')}
      union all
      select 'room', owner, permissions, false, true from room_users
      where room_id = place.room_id and user_id = ${userId} and ${withAccess('customer')}
      union all
      select 'customer', owner, permissions, place.is_below, reseller.effective_status = 'active' from customer_users held
      join customers reseller on reseller.id = held.customer_id and ${withAccess('reseller')}
      where held.customer_id = any(customer.ancestors) and held.user_id = ${userId}
    ) held
  `.execute(db);
  return rows.length === 0 ? null : rightsOfMemberships(rows);
}

function placeOf(level: RightLevel, id: Uuid): RawBuilder<unknown> {
  const none = sql`null::uuid`;
  switch (level) {
    case 'customer':
      return sql`(select ${id}::uuid as customer_id, ${none} as account_id, ${none} as room_id, true as is_below)`;
    case 'subscription':
      // Whoever sells above has a say over what was handed down, and none over what the platform itself sold.
      return sql`(select subscriber_id as customer_id, ${none} as account_id, ${none} as room_id,
        parent_subscription_id is not null as is_below from subscriptions where id = ${id})`;
    case 'account':
      return sql`(select subscriber_id as customer_id, id as account_id, ${none} as room_id, true as is_below
        from accounts where id = ${id})`;
    case 'room':
      return sql`(select customer_id, account_id, id as room_id, true as is_below from rooms where id = ${id})`;
    case 'meeting':
      return sql`(select room.customer_id, account_id, room.id as room_id, true as is_below
        from meetings join rooms room on room.id = meetings.room_id where meetings.id = ${id})`;
    case 'recording':
      return sql`(select room.customer_id, account_id, room.id as room_id, true as is_below from recordings
        join rooms room on room.id = recordings.room_id where recordings.id = ${id} and deleted_at is null)`;
  }
}

/** A membership gives what it names of its level; the owner has all of it. */
function rightsOfMemberships(rows: readonly MembershipRow[]): Rights {
  const given = ({ level, owner, permissions, changes }: MembershipRow) =>
    rightsOfLevel[level].filter(
      (right) => (owner || permissions.includes(right)) && (changes || !isRightToChange(right)),
    );
  return {
    rights: new Set(rows.flatMap(given)),
    fromAbove: new Set(rows.filter(({ above }) => above).flatMap(given)),
    owner: rows.some(({ owner, changes }) => owner && changes),
  };
}

function isRightToChange(right: Right): boolean {
  return right !== 'moderate' && !right.startsWith('read-');
}
