import type { MembershipLevel } from '@foyer/contract/resources/membership.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { gives } from './reach.ts';
import { type MembershipRow, type Place, places } from './store.ts';

/** What somebody can open and become a user of thereby, before what lies in it. */
export const openable = ['account', 'room'] as const satisfies readonly MembershipLevel[];
type Openable = (typeof openable)[number];

/** Whether a membership in its own customer, or in its account, lets the user open such a thing there. */
export async function mayOpen(tx: Tx, level: Openable, thingId: Uuid, userId: Uuid): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select ${letsOpen(level, userId)} as may from ${sql.table(`${level}s`)} thing where thing.id = ${thingId}
  `.execute(tx);
  return rows[0]?.may === true;
}

/** The membership came by opening: nobody gave it. Giving it something anew makes it a given one. */
export async function storeOpened(tx: Tx, level: Openable, id: Uuid): Promise<void> {
  await sql`update ${sql.table(places[level].table)} set opened = true where id = ${id}`.execute(tx);
}

/** What came by opening below a customer or an account, where nothing lets the user open such things any more. */
export async function deleteOpened(
  tx: Tx,
  level: Openable,
  userId: Uuid,
  from: Pick<Place, 'level' | 'id'>,
): Promise<MembershipRow[]> {
  const { table, key } = places[level];
  const above = {
    customer: level === 'account' ? 'thing.subscriber_id' : 'thing.customer_id',
    account: 'thing.account_id',
  };
  if (from.level === 'room' || from.level === level) return [];
  const { rows } = await sql<MembershipRow>`
    with locked as materialized (
      select held.id from ${sql.table(table)} held join ${sql.table(`${level}s`)} thing on thing.id = ${sql.ref(`held.${key}`)}
      where held.opened and not held.owner and held.user_id = ${userId}
        and ${sql.ref(above[from.level])} = ${from.id} and not ${letsOpen(level, userId)}
      order by held.id for update of held
    )
    delete from ${sql.table(table)} held using locked, ${sql.table(`${level}s`)} thing
    where held.id = locked.id and thing.id = ${sql.ref(`held.${key}`)}
    returning held.*, thing.id as thing_id
  `.execute(tx);
  return rows;
}

function letsOpen(level: Openable, userId: Uuid): RawBuilder<unknown> {
  if (level === 'account')
    return sql`exists(select from customer_users opener
      where opener.customer_id = thing.subscriber_id and opener.user_id = ${userId} and ${gives('opener', 'create-account')})`;
  return sql`(exists(select from customer_users opener
      where opener.customer_id = thing.customer_id and opener.user_id = ${userId} and ${gives('opener', 'create-room')})
    or exists(select from account_users opener
      where opener.account_id = thing.account_id and opener.user_id = ${userId} and ${gives('opener', 'create-room')}))`;
}
