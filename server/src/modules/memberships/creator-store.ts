import type { MembershipLevel } from '@foyer/contract/conventions/rights.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { hasRight } from './visible-resources.ts';
import { type MembershipWithUser, type MembershipScope, membershipTables } from './store.ts';

/** The resources whose creator becomes a member, parents first. */
export const creatableLevels = ['account', 'room'] as const satisfies readonly MembershipLevel[];
type CreatableLevel = (typeof creatableLevels)[number];

/** Whether a membership in the customer or account of the resource lets the user create such a resource. */
export async function canCreate(tx: Tx, level: CreatableLevel, resourceId: Uuid, userId: Uuid): Promise<boolean> {
  const { rows } = await sql<{ allowed: boolean }>`
    select ${canCreateCondition(level, userId)} as allowed from ${sql.table(`${level}s`)} resource where resource.id = ${resourceId}
  `.execute(tx);
  return rows[0]?.allowed === true;
}

/** Marks a membership as the creator's. `storeMembership` removes the mark. */
export async function markAsCreator(tx: Tx, level: CreatableLevel, id: Uuid): Promise<void> {
  await sql`update ${sql.table(membershipTables[level].table)} set opened = true where id = ${id}`.execute(tx);
}

/** Deletes creators' memberships below a customer or account where the user can no longer create such resources. */
export async function deleteCreatorMemberships(
  tx: Tx,
  level: CreatableLevel,
  userId: Uuid,
  parent: Pick<MembershipScope, 'level' | 'id'>,
): Promise<MembershipWithUser[]> {
  const { table, key } = membershipTables[level];
  const parentColumn = {
    customer: level === 'account' ? 'resource.subscriber_id' : 'resource.customer_id',
    account: 'resource.account_id',
  };
  if (parent.level === 'room' || parent.level === level) return [];
  const { rows } = await sql<MembershipWithUser>`
    with locked as materialized (
      select held.id from ${sql.table(table)} held join ${sql.table(`${level}s`)} resource on resource.id = ${sql.ref(`held.${key}`)}
      where held.opened and not held.owner and held.user_id = ${userId}
        and ${sql.ref(parentColumn[parent.level])} = ${parent.id} and not ${canCreateCondition(level, userId)}
      order by held.id for update of held
    )
    delete from ${sql.table(table)} held using locked, ${sql.table(`${level}s`)} resource, users
    where held.id = locked.id and users.id = held.user_id and resource.id = ${sql.ref(`held.${key}`)}
    returning held.*, resource.id as resource_id, users.first_name, users.last_name, users.full_name, users.email, users.status
  `.execute(tx);
  return rows;
}

function canCreateCondition(level: CreatableLevel, userId: Uuid): RawBuilder<unknown> {
  if (level === 'account')
    return sql`exists(select from customer_users member
      where member.customer_id = resource.subscriber_id and member.user_id = ${userId} and ${hasRight('member', 'create-account')})`;
  return sql`(exists(select from customer_users member
      where member.customer_id = resource.customer_id and member.user_id = ${userId} and ${hasRight('member', 'create-room')})
    or exists(select from account_users member
      where member.account_id = resource.account_id and member.user_id = ${userId} and ${hasRight('member', 'create-room')}))`;
}
