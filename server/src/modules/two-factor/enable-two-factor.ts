import { generateSecret, generateURI } from 'otplib/functional';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { confirmPassword } from '../../platform/crypto/confirm-password.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor, CallOf } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { lockAdmin, requireAdmin } from '../admins/index.ts';
import { secretAssociatedData, findStepOfCode, secondFactorWrong } from './check-second-factor.ts';
import { qrCodeOf } from './one-time-code.ts';
import { hashRecoveryCode, generateRecoveryCodes } from './recovery-codes.ts';
import { confirmSecret, findTwoFactor, replaceRecoveryCodes, storePendingSecret, type TwoFactorRow } from './store.ts';

export interface Enrollment {
  readonly secret: string;
  readonly otpauth_url: string;
  /** An SVG image in a data URL. */
  readonly qr_code: string;
}

/** Creates a secret that takes effect once a code has confirmed it. Replaces an unconfirmed secret. */
export async function beginTwoFactor(
  services: Dependencies,
  { actor, principal, body: { password } }: CallOf<'beginTwoFactor'>,
): Promise<Enrollment> {
  const admin = await requireAdmin(services.db, requirePrincipal(principal, 'admin').id);
  await confirmPassword(services.failedAttempts, admin, { population: 'admins', password, address: actor.address });
  // TOTP (RFC 6238) with the defaults: 160 bits, six digits, thirty seconds.
  const secret = generateSecret();
  const sealed = await services.secretBox.seal(secret, secretAssociatedData(admin.id));
  const isStored = await inTransaction(services, actor, async ({ tx, now, emit }) => {
    const stored = await storePendingSecret(tx, admin.id, sealed, now);
    if (stored) await emit(eventAbout('admin.two_factor_begun', admin.id));
    return stored;
  });
  if (!isStored) throw alreadyEnabled();
  const url = generateURI({ issuer: services.settings().platform_name, label: admin.username, secret });
  return { secret, otpauth_url: url, qr_code: qrCodeOf(url) };
}

/**
 * Enables the second factor with a code of the new secret.
 * @returns the recovery codes, which are shown only once
 */
export async function confirmTwoFactor(
  services: Dependencies,
  { actor, principal: caller, body: { code } }: CallOf<'confirmTwoFactor'>,
): Promise<string[]> {
  const principal = requirePrincipal(caller, 'admin');
  const pending = await findTwoFactor(services.db, principal.id);
  if (!pending) throw conflict('second-factor-not-enabled', 'Start setting up the second factor first.');
  if (pending.confirmed_at !== null) throw alreadyEnabled();
  const step = await verifyPendingCode(services, actor, pending, code);
  const codes = generateRecoveryCodes();
  await inTransaction(services, actor, async (change) => {
    const { tx, now, emit, invalidate } = change;
    // A concurrent sign-in waits for this lock and then needs the second factor, or is ended below.
    await lockAdmin(tx, principal.id);
    const confirmed = await confirmSecret(tx, pending, step, now);
    if (!confirmed) throw conflict('conflict', 'The second factor was changed by another request. Please start again.');
    await replaceRecoveryCodes(tx, principal.id, codes.map(hashRecoveryCode), now);
    await change.react('admin.two-factor-enabled', { adminId: principal.id, keptFamilyId: principal.familyId });
    invalidate('access');
    await emit(
      eventAbout('admin.two_factor_enabled', principal.id, {
        after: { two_factor_confirmed_at: confirmed.confirmed_at },
      }),
    );
  });
  return codes;
}

async function verifyPendingCode(
  services: Dependencies,
  actor: Actor,
  pending: TwoFactorRow,
  code: string,
): Promise<number> {
  const step = await services.failedAttempts.attempt(
    { scope: 'admins', name: pending.admin_id, address: actor.address },
    () => findStepOfCode(services, pending, code),
    (verified) => (verified === null ? 'wrong' : 'right'),
  );
  if (step === null) throw secondFactorWrong();
  return step;
}

function alreadyEnabled() {
  return conflict('second-factor-enabled', 'The second factor is already enabled.');
}
