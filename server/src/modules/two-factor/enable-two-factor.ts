import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { confirmPassword } from '../../platform/crypto/confirm-password.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import { lockAdmin, requireAdmin } from '../admins/index.ts';
import { secretContext, stepOfCode } from './check-second-factor.ts';
import { newSecret, otpauthUrl, qrCodeOf } from './one-time-code.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { secondFactorWrong } from './refusals.ts';
import { confirmSecret, findTwoFactor, replaceRecoveryCodes, storePendingSecret, type TwoFactorRow } from './store.ts';

export interface Enrollment {
  readonly secret: string;
  readonly otpauth_url: string;
  /** An SVG image in a data URL. */
  readonly qr_code: string;
}

/** A new secret that counts once a code has confirmed it; an earlier one that was not confirmed is forgotten. */
export async function beginTwoFactor(
  services: Dependencies,
  actor: Actor,
  principal: Principal,
  password: string,
): Promise<Enrollment> {
  const admin = await requireAdmin(services.db, principal.id);
  await confirmPassword(services.failedAttempts, 'admins', admin, password, actor.address);
  const secret = newSecret();
  const sealed = await services.secretBox.seal(secret, secretContext(admin.id));
  const isStored = await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const stored = await storePendingSecret(tx, admin.id, sealed, now);
    if (stored) await emit({ name: 'admin.two_factor_begun', resource: { type: 'Admin', id: admin.id } });
    return stored;
  });
  if (!isStored) throw alreadyEnabled();
  const url = otpauthUrl(secret, services.settings().platform_name, admin.username);
  return { secret, otpauth_url: url, qr_code: qrCodeOf(url) };
}

/** @returns the recovery codes, shown this once. */
export async function confirmTwoFactor(
  services: Dependencies,
  actor: Actor,
  principal: Principal,
  code: string,
): Promise<string[]> {
  const pending = await findTwoFactor(services.db, principal.id);
  if (!pending) throw conflict('second-factor-not-enabled', 'Begin to set up the second factor first.');
  if (pending.confirmed_at !== null) throw alreadyEnabled();
  const step = await guessedStep(services, actor, pending, code);
  const codes = newRecoveryCodes();
  await inTransaction(services, actor, async (change) => {
    const { tx, now, emit, invalidate } = change;
    // A sign-in at the same time waits, and then sees it; or this does, and ends that.
    await lockAdmin(tx, principal.id);
    const confirmed = await confirmSecret(tx, pending, step, now);
    if (!confirmed) throw conflict('conflict', 'The second factor was changed at the same time. Please begin again.');
    await replaceRecoveryCodes(tx, principal.id, codes.map(hashRecoveryCode), now);
    await change.react('admin.two-factor-enabled', { adminId: principal.id, keptFamilyId: principal.familyId });
    invalidate('access');
    await emit({
      name: 'admin.two_factor_enabled',
      resource: { type: 'Admin', id: principal.id },
      after: { two_factor_confirmed_at: confirmed.confirmed_at },
    });
  });
  return codes;
}

async function guessedStep(services: Dependencies, actor: Actor, pending: TwoFactorRow, code: string): Promise<number> {
  const step = await services.failedAttempts.attempt(
    { scope: 'admins', name: pending.admin_id, address: actor.address },
    () => stepOfCode(services, pending, code),
    (found) => (found === null ? 'wrong' : 'right'),
  );
  if (step === null) throw secondFactorWrong();
  return step;
}

function alreadyEnabled() {
  return conflict('second-factor-enabled', 'The second factor is switched on already.');
}
