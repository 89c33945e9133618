import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { hashToken, isOpaqueToken } from '../../platform/crypto/opaque-token.ts';
import { hashPassword, passwordFaults } from '../../platform/crypto/password.ts';
import { requireAdmin, storeAdminPassword, verifyAdminEmail } from '../admins/index.ts';
import type { SignInOrigin } from '../rooms/index.ts';
import { requireUser, storePassword, verifyEmail } from '../users/index.ts';
import { endLinks, tokenPrefix } from './make-reset.ts';
import { doorOf, findReset, lockPerson, markUsed, type Person } from './store.ts';

export interface OpenReset {
  readonly id: string;
  readonly person: Person;
  /** Whether it was mailed, so that using it proves that the email is the person's. */
  readonly mailed: boolean;
  /** At which the password was forgotten. */
  readonly door: SignInOrigin | null;
}

/** The link that the token opens, while it can be used. */
export async function findOpenReset(dependencies: Dependencies, token: string): Promise<OpenReset | null> {
  if (!isOpaqueToken(token, tokenPrefix)) return null;
  const { db, clock } = dependencies;
  const row = await findReset(db, hashToken(token), clock.now());
  if (!row) return null;
  const population = row.admin_id === null ? 'users' : 'admins';
  const id = row.admin_id ?? row.user_id ?? '';
  const { email, locale } = population === 'admins' ? await requireAdmin(db, id) : await requireUser(db, id);
  return { id: row.id, person: { population, id, email, locale }, mailed: row.mailed, door: doorOf(row) };
}

/**
 * Sets the new password of whoever the link is for: once, however many try at the same time. Every session of the
 * person ends, and every other link. A second factor stays.
 * @throws 422 naming every fault.
 */
export async function resetPassword(
  dependencies: Dependencies,
  actor: Actor,
  population: Population | null,
  input: { readonly token: string; readonly password: string },
): Promise<OpenReset> {
  const found = await findOpenReset(dependencies, input.token);
  const reset = found && (population === null || found.person.population === population) ? found : null;
  const sentences = await passwordFaults(input.password);
  const faults: FieldFaults = {
    ...(reset ? {} : linkFaults),
    ...(sentences.length > 0 ? { password: sentences } : {}),
  };
  if (!reset) throw invalidInput(faults, 'link-not-valid');
  if (sentences.length > 0) throw invalidInput(faults);
  const { person } = reset;
  const passwordHash = await hashPassword(input.password);
  await inTransaction(dependencies, actorOf(actor, person), async (change) => {
    const isThere = await lockPerson(change.tx, person);
    if (!isThere || !(await markUsed(change.tx, reset.id, change.now)))
      throw invalidInput(linkFaults, 'link-not-valid');
    await endLinks(change, person);
    const kind = person.population === 'admins' ? 'admin' : 'user';
    await change.emit({
      name: `${kind}.password_reset`,
      resource: { type: kind === 'admin' ? 'Admin' : 'User', id: person.id },
    });
    if (kind === 'admin') {
      await storeAdminPassword(change, person.id, passwordHash);
      if (reset.mailed) await verifyAdminEmail(change.tx, person.id, change.now);
    } else {
      await storePassword(change, person.id, passwordHash);
      if (reset.mailed) await verifyEmail(change, person.id);
    }
  });
  return reset;
}

const linkFaults: FieldFaults = { token: ['The link is not valid any more. Please ask for a new one.'] };

/** Whoever holds the link acts as the person. */
function actorOf(actor: Actor, { population, id, email }: Person): Actor {
  return { ...actor, type: population === 'admins' ? 'admin' : 'user', id, name: email };
}
