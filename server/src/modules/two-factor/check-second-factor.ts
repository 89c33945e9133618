import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { encryptedColumn } from '../../database/encrypted-column.ts';
import { isOneTimeCode, stepOf } from './one-time-code.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { findTwoFactor, takeRecoveryCode, takeStep, type TwoFactorRow } from './store.ts';

/** `off`: the administrator has none, and a code is not looked at. */
export type SecondFactorCheck = 'off' | 'right' | 'missing' | 'wrong';

/**
 * Takes a code of the authenticator app, or a recovery code; each passes once, also when two requests bring it at the
 * same instant. Wrong ones are to be counted by the caller.
 */
export async function checkSecondFactor(
  services: Dependencies,
  adminId: Uuid,
  code: string | null,
  actor: Actor,
): Promise<SecondFactorCheck> {
  const row = await findTwoFactor(services.db, adminId);
  if (!row || row.confirmed_at === null) return 'off';
  if (code === null) return 'missing';
  const typed = code.replaceAll(/\s/g, '');
  const passes = isOneTimeCode(typed)
    ? await takeOneTimeCode(services, row, typed)
    : await useRecoveryCode(services, adminId, typed, actor);
  return passes ? 'right' : 'wrong';
}

/** @returns the time step of a code that belongs to the secret, whether or not it was used before. */
export async function stepOfCode(services: Dependencies, row: TwoFactorRow, code: string): Promise<number | null> {
  const secret = await services.secretBox.open(row.secret_sealed, secretContext(row.admin_id));
  return stepOf(code.replaceAll(/\s/g, ''), secret, services.clock.nowMs());
}

/** The place for which a secret is sealed. */
export function secretContext(adminId: Uuid): string {
  return `admin_two_factor:${adminId}:secret`;
}

async function takeOneTimeCode(services: Dependencies, row: TwoFactorRow, code: string): Promise<boolean> {
  const step = await stepOfCode(services, row, code);
  return step !== null && (await takeStep(services.db, row, step));
}

async function useRecoveryCode(services: Dependencies, adminId: Uuid, code: string, actor: Actor): Promise<boolean> {
  const hash = hashRecoveryCode(code);
  return await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const isTaken = await takeRecoveryCode(tx, adminId, hash, now);
    if (isTaken) await emit({ name: 'admin.recovery_code_used', resource: { type: 'Admin', id: adminId } });
    return isTaken;
  });
}

export const twoFactorColumn = encryptedColumn('admin_two_factor', 'secret_sealed', secretContext, 'admin_id');
