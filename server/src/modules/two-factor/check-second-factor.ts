import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { encryptedColumn } from '../../database/encrypted-column.ts';
import { isOneTimeCode, timeStepOf } from './one-time-code.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { findTwoFactor, markRecoveryCodeUsed, markStepUsed, type TwoFactorRow } from './store.ts';
import { type Failure, invalidInput, conflict } from '../../platform/failures.ts';

/** `off`: the administrator has not enabled a second factor. */
export type SecondFactorCheck = 'off' | 'right' | 'missing' | 'wrong';

/**
 * Accepts a code of the authenticator app or a recovery code. Each is accepted once, also in concurrent requests. The
 * caller counts failed attempts.
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
  const enteredCode = code.replaceAll(/\s/g, '');
  const isAccepted = isOneTimeCode(enteredCode)
    ? await useOneTimeCode(services, row, enteredCode)
    : await useRecoveryCode(services, adminId, enteredCode, actor);
  return isAccepted ? 'right' : 'wrong';
}

/** The time step of a valid code, whether or not it was used before; null for a wrong one. */
export async function findStepOfCode(services: Dependencies, row: TwoFactorRow, code: string): Promise<number | null> {
  const secret = await services.secretBox.open(row.secret_sealed, secretAssociatedData(row.admin_id));
  return timeStepOf(code.replaceAll(/\s/g, ''), secret, services.clock.nowMs());
}

export function secretAssociatedData(adminId: Uuid): string {
  return `admin_two_factor:${adminId}:secret`;
}

async function useOneTimeCode(services: Dependencies, row: TwoFactorRow, code: string): Promise<boolean> {
  const step = await findStepOfCode(services, row, code);
  return step !== null && (await markStepUsed(services.db, row, step));
}

async function useRecoveryCode(services: Dependencies, adminId: Uuid, code: string, actor: Actor): Promise<boolean> {
  const hash = hashRecoveryCode(code);
  return await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const isUsed = await markRecoveryCodeUsed(tx, adminId, hash, now);
    if (isUsed) await emit(eventAbout('admin.recovery_code_used', adminId));
    return isUsed;
  });
}

export const twoFactorColumn = encryptedColumn('admin_two_factor', 'secret_sealed', secretAssociatedData, 'admin_id');

export function secondFactorWrong(): Failure {
  return invalidInput({ code: ['The code is wrong, or it was used before.'] }, 'second-factor-wrong');
}

export function secondFactorNotEnabled(): Failure {
  return conflict('second-factor-not-enabled', 'The second factor is not enabled.');
}
