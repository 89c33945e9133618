import type { RightLevel } from '@foyer/contract/conventions/endpoint.ts';
import { type MembershipLevel, type Right, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import type { Rights } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { allowsAccess } from './visible-resources.ts';

interface MembershipRow {
  readonly level: MembershipLevel;
  readonly owner: boolean;
  readonly permissions: readonly string[];
  /** Whether the membership is in a parent of the resource's customer. */
  readonly is_from_above: boolean;
  /** Whether the membership allows changes: users of a suspended reseller can only read and moderate below it. */
  readonly can_change: boolean;
}

/**
 * The user's rights on a resource, from memberships in the resource and in its parents up to the topmost reseller. Null
 * for an unknown resource and for a resource of a customer without access, so that users cannot tell them apart.
 */
export async function rightsOf(db: Database | Tx, userId: Uuid, level: RightLevel, id: Uuid): Promise<Rights | null> {
  const { rows } = await sql<MembershipRow>`
    select held.* from ${resourceWithParents(level, id)} resource
    join customers customer on customer.id = resource.customer_id
    cross join lateral (
      select 'customer' as level, owner, permissions, false as is_from_above, true as can_change from customer_users
      where customer_id = customer.id and user_id = ${userId} and ${allowsAccess('customer')}
      union all
      select 'account', owner, permissions, false, true from account_users
      where account_id = resource.account_id and user_id = ${userId} and ${allowsAccess('customer')}
      union all
      select 'room', owner, permissions, false, true from room_users
      where room_id = resource.room_id and user_id = ${userId} and ${allowsAccess('customer')}
      union all
      select 'customer', owner, permissions, resource.is_below, reseller.effective_status = 'active' from customer_users held
      join customers reseller on reseller.id = held.customer_id and ${allowsAccess('reseller')}
      where held.customer_id = any(customer.ancestors) and held.user_id = ${userId}
    ) held
  `.execute(db);
  return rows.length === 0 ? null : rightsOfMemberships(rows);
}

function resourceWithParents(level: RightLevel, id: Uuid): RawBuilder<unknown> {
  const nullId = sql`null::uuid`;
  switch (level) {
    case 'customer':
      return sql`(select ${id}::uuid as customer_id, ${nullId} as account_id, ${nullId} as room_id, true as is_below)`;
    case 'subscription':
      // A reseller has rights over subscriptions that it sold, and none over those that the platform sold.
      return sql`(select subscriber_id as customer_id, ${nullId} as account_id, ${nullId} as room_id,
        parent_subscription_id is not null as is_below from subscriptions where id = ${id})`;
    case 'webhook':
      return sql`(select customer_id, ${nullId} as account_id, ${nullId} as room_id, true as is_below
        from webhooks where id = ${id})`;
    case 'account':
      return sql`(select subscriber_id as customer_id, id as account_id, ${nullId} as room_id, true as is_below
        from accounts where id = ${id})`;
    case 'room':
      return sql`(select customer_id, account_id, id as room_id, true as is_below from rooms where id = ${id})`;
    case 'meeting':
      return sql`(select room.customer_id, account_id, room.id as room_id, true as is_below
        from meetings join rooms room on room.id = meetings.room_id where meetings.id = ${id})`;
    case 'recording':
      return sql`(select room.customer_id, account_id, room.id as room_id, true as is_below from recordings
        join rooms room on room.id = recordings.room_id where recordings.id = ${id} and deleted_at is null)`;
    case 'video':
      return sql`(select room.customer_id, account_id, room.id as room_id, true as is_below
        from videos join rooms room on room.id = videos.room_id where videos.id = ${id})`;
  }
}

/** An owner has every right of the level. */
function rightsOfMemberships(rows: readonly MembershipRow[]): Rights {
  const rightsOfRow = ({ level, owner, permissions, can_change: canChange }: MembershipRow) =>
    rightsOfLevel[level].filter(
      (right) => (owner || permissions.includes(right)) && (canChange || !isRightToChange(right)),
    );
  return {
    rights: new Set(rows.flatMap(rightsOfRow)),
    fromAbove: new Set(rows.filter((row) => row.is_from_above).flatMap(rightsOfRow)),
    owner: rows.some(({ owner, can_change: canChange }) => owner && canChange),
  };
}

function isRightToChange(right: Right): boolean {
  return right !== 'moderate' && !right.startsWith('read-');
}
