import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { hashToken, isOpaqueToken } from '../../platform/crypto/opaque-token.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import { requireAdmin, storeAdminPassword, verifyAdminEmail } from '../admins/index.ts';
import type { SignInOrigin } from '../rooms/index.ts';
import { requireUser, storePassword, verifyEmail } from '../users/index.ts';
import { invalidateLinks, tokenPrefix } from './create-reset.ts';
import { originOf, findReset, lockPerson, markUsed, type Person } from './store.ts';

export interface OpenReset {
  readonly id: string;
  readonly person: Person;
  /** Whether using the link verifies the email. */
  readonly mailed: boolean;
  /** The room where the reset was requested. */
  readonly origin: SignInOrigin | null;
}

/** Null if the link is unknown, used or no longer valid. */
export async function findOpenReset(dependencies: Dependencies, token: string): Promise<OpenReset | null> {
  if (!isOpaqueToken(token, tokenPrefix)) return null;
  const { db, clock } = dependencies;
  const row = await findReset(db, hashToken(token), clock.now());
  if (!row) return null;
  const population = row.admin_id === null ? 'users' : 'admins';
  const id = row.admin_id ?? row.user_id ?? '';
  const { email, locale } = population === 'admins' ? await requireAdmin(db, id) : await requireUser(db, id);
  return { id: row.id, person: { population, id, email, locale }, mailed: row.mailed, origin: originOf(row) };
}

/**
 * Sets a new password, and ends all sessions and invalidates other links of the person. The second factor stays enabled.
 * @throws 422 naming every fault
 */
export async function resetPassword(
  dependencies: Dependencies,
  actor: Actor,
  population: Population | null,
  input: { readonly token: string; readonly password: string },
): Promise<OpenReset> {
  const openReset = await findOpenReset(dependencies, input.token);
  const reset = openReset && (population === null || openReset.person.population === population) ? openReset : null;
  const faults = await newPasswordFaults(input.password);
  if (!reset) throw invalidInput({ ...linkFaults, ...faults }, 'link-not-valid');
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const { person } = reset;
  const passwordHash = await hashPassword(input.password);
  await inTransaction(dependencies, actorOf(actor, person), async (change) => {
    const exists = await lockPerson(change.tx, person);
    if (!exists || !(await markUsed(change.tx, reset.id, change.now))) throw invalidInput(linkFaults, 'link-not-valid');
    await invalidateLinks(change, person);
    const kind = person.population === 'admins' ? 'admin' : 'user';
    await change.emit(eventAbout(`${kind}.password_reset`, person.id));
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

const linkFaults: FieldFaults = { token: ['The link is no longer valid. Request a new one.'] };

/** The owner of the link is the actor in the audit log. */
function actorOf(actor: Actor, { population, id, email }: Person): Actor {
  return { ...actor, type: population === 'admins' ? 'admin' : 'user', id, name: email };
}
