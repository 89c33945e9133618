import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system, type Tx } from '../../../events/change.ts';
import { eventAbout } from '../../../events/row-event.ts';
import type { Verdict } from '../../../platform/limits/failed-attempts.ts';
import { Failure } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { hashPassword, needsRehash, verifyPassword } from '../../../platform/crypto/password.ts';
import { replaceAdminPasswordHash } from '../../admins/index.ts';
import { checkSecondFactor } from '../../two-factor/index.ts';
import { replaceUserPasswordHash } from '../../users/index.ts';
import { type Credentials, findAdminForSignIn, findUserForSignIn, lockCredentialsForShare } from './sign-in-store.ts';
import type { ProvenOwner, SignInProof } from '../store.ts';

export type SignInRefusal = 'wrong-credentials' | 'second-factor-required' | 'second-factor-wrong';
export type CredentialCheck = { readonly owner: ProvenOwner } | { readonly refusal: SignInRefusal };

export interface SignInAttempt {
  readonly population: Population;
  /** User name or email of an administrator, email of a user. */
  readonly name: string;
  readonly password: string;
  /** Six digits or a recovery code. */
  readonly otp: string | null;
  readonly address: string | null;
}

/**
 * Verifies name, password and, if enabled, second factor. Unknown names, wrong passwords and inactive accounts get the
 * same refusal after the same time, against user enumeration.
 * @throws 429 after too many failures of the name or from the address.
 */
export async function checkCredentials(
  services: Dependencies,
  { population, name, password, otp, address }: SignInAttempt,
): Promise<CredentialCheck> {
  const person = await findPerson(services, population, name);
  const verify = async (): Promise<CredentialCheck> => {
    const matches = await verifyPassword(person?.passwordHash ?? null, password);
    if (!person || !matches || !person.canSignIn) return { refusal: 'wrong-credentials' };
    const actor = actorOf(population, person, address);
    const secondFactor = person.hasSecondFactor ? await checkSecondFactor(services, person.id, otp, actor) : 'off';
    if (secondFactor === 'missing') return { refusal: 'second-factor-required' };
    if (secondFactor === 'wrong') return { refusal: 'second-factor-wrong' };
    const passwordHash = await rehashIfOutdated(services, population, person, password);
    const proof = { passwordHash, isSecondFactorVerified: secondFactor === 'right' };
    return { owner: { population, id: person.id, name: person.name, row: person.row, proof } };
  };
  return await services.failedAttempts.attempt(
    {
      scope: population,
      name: person?.id ?? name.toLowerCase(),
      address,
      onBlocked: () => emitThrottleEvent(services, population, person, address),
    },
    verify,
    verdictOf,
  );
}

/**
 * Locks the credentials and compares them with those that were checked, when the session starts: a concurrent change of
 * the password or second factor then either ends the session or refuses it. @throws the failure of a refused sign-in
 */
export async function requireStillProven(tx: Tx, owner: ProvenOwner): Promise<void> {
  refuseOutdated(owner.proof, await lockCredentialsForShare(tx, owner));
}

/** @throws the failure of a refused sign-in, if the credentials have changed since they were checked */
export function refuseOutdated(proof: SignInProof, current: Credentials): void {
  if (current.passwordHash !== proof.passwordHash) throw signInFailure('wrong-credentials');
  if (current.hasSecondFactor && !proof.isSecondFactorVerified) throw signInFailure('second-factor-required');
}

/** 422, or 400 `invalid_grant` at the token endpoint. */
export function signInFailure(refusal: SignInRefusal): Failure {
  const [field, sentence] = sentences[refusal];
  return new Failure(refusal, sentence, { errors: { [field]: [sentence] }, oauthError: 'invalid_grant' });
}

const sentences: Record<SignInRefusal, readonly [field: string, sentence: string]> = {
  'wrong-credentials': ['username', 'The name or password is wrong, or the account is inactive.'],
  'second-factor-required': ['otp', 'A code of the second factor is needed.'],
  'second-factor-wrong': ['otp', 'The code is wrong, or it was used before.'],
};

interface Person {
  readonly id: Uuid;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly canSignIn: boolean;
  readonly hasSecondFactor: boolean;
  readonly row: { readonly id: Uuid };
}

async function findPerson(services: Dependencies, population: Population, name: string): Promise<Person | null> {
  if (population === 'admins') {
    const admin = await findAdminForSignIn(services.db, name);
    if (!admin) return null;
    const { id, username, password_hash: passwordHash, status, has_second_factor: hasSecondFactor } = admin;
    return { id, name: username, passwordHash, canSignIn: status === 'active', hasSecondFactor, row: admin };
  }
  const user = await findUserForSignIn(services.db, name);
  if (!user) return null;
  const { id, email, password_hash: passwordHash, status, has_access: hasAccess } = user;
  const canSignIn = status === 'active' && hasAccess;
  return { id, name: email, passwordHash, canSignIn, hasSecondFactor: false, row: user };
}

/** A correct password without the second factor does not count as a failed attempt. */
function verdictOf(check: CredentialCheck): Verdict {
  if ('owner' in check) return 'right';
  return check.refusal === 'second-factor-required' ? 'neither' : 'wrong';
}

function actorOf(population: Population, person: Person, address: string | null): Actor {
  const type = population === 'admins' ? 'admin' : 'user';
  return { type, id: person.id, name: person.name, clientId: null, clientName: null, requestId: null, address };
}

/** Hashes the password again if its hash has outdated parameters. @returns the stored hash */
async function rehashIfOutdated(
  services: Dependencies,
  population: Population,
  { id, passwordHash }: Person,
  password: string,
): Promise<string> {
  if (passwordHash === null) throw new Error('no password matched');
  if (!needsRehash(passwordHash)) return passwordHash;
  const replace = population === 'admins' ? replaceAdminPasswordHash : replaceUserPasswordHash;
  const newHash = await hashPassword(password);
  await replace(services.db, id, passwordHash, newHash);
  return newHash;
}

/** Called once each time that sign-ins are blocked, so that failed attempts cannot fill the audit log. */
async function emitThrottleEvent(
  services: Dependencies,
  population: Population,
  person: Person | null,
  address: string | null,
): Promise<void> {
  services.logger.warn({ population, address }, 'too many failed sign-ins');
  if (!person) return;
  const kind = population === 'admins' ? 'admin' : 'user';
  const visitor: Actor = { ...system, type: 'visitor', name: null, address };
  await inTransaction(services, visitor, ({ emit }) => emit(eventAbout(`${kind}.sign_ins_throttled`, person.id)));
}
