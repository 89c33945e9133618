import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { executeAndCount } from '../../database/row-store.ts';
import type { AdminTwoFactor } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type TwoFactorRow = Selectable<AdminTwoFactor>;

export async function findTwoFactor(db: Database | Tx, adminId: Uuid): Promise<TwoFactorRow | undefined> {
  return await db.selectFrom('admin_two_factor').selectAll().where('admin_id', '=', adminId).executeTakeFirst();
}

/** Counts the unused recovery codes. */
export async function countRecoveryCodes(db: Database | Tx, adminId: Uuid): Promise<number> {
  const { count } = await db
    .selectFrom('admin_recovery_codes')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('admin_id', '=', adminId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Stores an unconfirmed secret. @returns false if there is a confirmed secret */
export async function storePendingSecret(tx: Tx, adminId: Uuid, sealed: string, now: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('admin_two_factor')
    .values({ admin_id: adminId, secret_sealed: sealed, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .column('admin_id')
        .doUpdateSet({ secret_sealed: sealed, created_at: now, updated_at: now })
        .where('admin_two_factor.confirmed_at', 'is', null),
    )
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** @returns undefined if the secret was confirmed, replaced or removed in the meantime */
export async function confirmSecret(
  tx: Tx,
  pending: TwoFactorRow,
  step: number,
  now: string,
): Promise<TwoFactorRow | undefined> {
  return await tx
    .updateTable('admin_two_factor')
    .set({ confirmed_at: now, last_used_step: step, updated_at: now })
    .where('admin_id', '=', pending.admin_id)
    .where('secret_sealed', '=', pending.secret_sealed)
    .where('confirmed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** A conditional update, so that only one of two concurrent requests can use the code. */
export async function markStepUsed(db: Database, row: TwoFactorRow, step: number): Promise<boolean> {
  const isCurrent = sql`admin_id = ${row.admin_id} and secret_sealed = ${row.secret_sealed} and confirmed_at is not null`;
  const isNewer = sql`(last_used_step is null or last_used_step < ${step}::bigint)`;
  const update = sql`update admin_two_factor set last_used_step = ${step} where ${isCurrent} and ${isNewer}`;
  return (await executeAndCount(db, update)) > 0;
}

export async function markRecoveryCodeUsed(tx: Tx, adminId: Uuid, codeHash: Buffer, now: string): Promise<boolean> {
  const isUnused = sql`admin_id = ${adminId} and code_hash = ${codeHash} and used_at is null`;
  return (await executeAndCount(tx, sql`update admin_recovery_codes set used_at = ${now} where ${isUnused}`)) > 0;
}

export async function replaceRecoveryCodes(tx: Tx, adminId: Uuid, hashes: readonly Buffer[], now: string) {
  await tx.deleteFrom('admin_recovery_codes').where('admin_id', '=', adminId).execute();
  await tx
    .insertInto('admin_recovery_codes')
    .values(hashes.map((hash) => ({ admin_id: adminId, code_hash: hash, created_at: now })))
    .execute();
}

/** Removes the secret and the recovery codes. */
export async function removeTwoFactor(tx: Tx, adminId: Uuid): Promise<TwoFactorRow | undefined> {
  await tx.deleteFrom('admin_recovery_codes').where('admin_id', '=', adminId).execute();
  return await tx.deleteFrom('admin_two_factor').where('admin_id', '=', adminId).returningAll().executeTakeFirst();
}

/** Locks the second factor and its recovery codes against other changes. */
export async function lockTwoFactor(tx: Tx, adminId: Uuid): Promise<TwoFactorRow | undefined> {
  const { rows } =
    await sql<TwoFactorRow>`select * from admin_two_factor where admin_id = ${adminId} for update`.execute(tx);
  return rows[0];
}
