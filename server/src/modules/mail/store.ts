import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowStore, removeUnlocked } from '../../database/row-store.ts';
import type { Mails } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type MailRow = Selectable<Mails>;

export const { require: requireMail } = rowStore('mails', 'mail');

export async function insertMail(tx: Tx, row: Insertable<Mails>): Promise<void> {
  await tx.insertInto('mails').values(row).execute();
}

/** Leases due mails until `heldUntil`. Mails of a crashed worker are leased again after that. */
export async function claimMails(
  db: Database,
  { now, heldUntil, limit }: { readonly now: string; readonly heldUntil: string; readonly limit: number },
): Promise<MailRow[]> {
  const { rows } = await sql<MailRow>`
    update mails set held_until = ${heldUntil}, attempts = attempts + 1, updated_at = ${now}
    where id in (
      select id from mails
      where state = 'queued' and due_at <= ${now} and (held_until is null or held_until <= ${now})
      order by due_at, id limit ${limit} for update skip locked
    )
    returning *
  `.execute(db);
  return rows;
}

/** Erases the content. False if the mail was withdrawn in the meantime. */
export async function finishMail(
  db: Database,
  id: Uuid,
  outcome: { readonly state: 'sent' | 'failed'; readonly error: string | null; readonly now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({
      state: outcome.state,
      content_sealed: null,
      held_until: null,
      last_error: outcome.error,
      finished_at: outcome.now,
      updated_at: outcome.now,
    })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function postponeMail(
  db: Database,
  id: Uuid,
  { dueAt, error, now }: { readonly dueAt: string; readonly error: string; readonly now: string },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ due_at: dueAt, held_until: null, last_error: error, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute();
}

export async function storeWithdrawal(tx: Tx, id: Uuid, now: string): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ state: 'withdrawn', content_sealed: null, held_until: null, finished_at: now, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute();
}

export async function removeFinishedMails(db: Database, before: string): Promise<number> {
  return await removeUnlocked(db, 'mails', sql`state <> 'queued' and finished_at < ${before}`);
}
