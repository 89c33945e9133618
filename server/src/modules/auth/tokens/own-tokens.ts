import { rowOrNotFound } from '../../../database/row-store.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { forbidden, notFound } from '../../../platform/failures.ts';
import type { Actor, Principal, CallOf } from '../../../platform/http/input/call.ts';
import { requirePrincipal } from '../../../platform/http/input/guard.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { findClient } from '../clients/client-store.ts';
import { revokeFamilies, revokeFamily } from '../store.ts';
import { findLiveFamily, removeSessionsOf, type LiveFamilyRow } from './own-token-store.ts';
import { emitRevocations } from './tokens.ts';

/**
 * A condition for the active families that the caller may see and end: those of the same owner, and for a token of a
 * third-party client only those of that client.
 */
export async function ownFamiliesCondition(
  { db, clock }: Dependencies,
  principal: Principal,
): Promise<RawBuilder<unknown>> {
  const live = sql`token_families.revoked_at is null and token_families.expires_at > ${clock.now()}`;
  if (principal.kind === 'client')
    return sql`token_families.kind = 'client' and token_families.client_id = ${principal.id} and ${live}`;
  const ownedByCaller = sql`${sql.ref(`token_families.${principal.kind}_id`)} = ${principal.id} and ${live}`;
  const isFirstParty = await hasFirstPartyClient(db, principal);
  return isFirstParty ? ownedByCaller : sql`${ownedByCaller} and token_families.client_id = ${principal.clientId}`;
}

/** @throws 404 */
export async function requireOwnFamily(
  dependencies: Dependencies,
  principal: Principal,
  id: Uuid,
): Promise<LiveFamilyRow> {
  const row = await findLiveFamily(dependencies.db, await ownFamiliesCondition(dependencies, principal), id);
  return rowOrNotFound(row, 'token');
}

/** @throws 404 */
export async function endOwnFamily(
  dependencies: Dependencies,
  { actor, principal: caller, params: { token_id: id } }: CallOf<'deleteOauthToken'>,
): Promise<void> {
  const principal = requirePrincipal(caller);
  await requireOwnFamily(dependencies, principal, id);
  if (id !== principal.familyId) await requireAllScopes(dependencies.db, principal);
  await inTransaction(dependencies, actor, async (change) => {
    const ended = await revokeFamily(change.tx, id, change.now);
    if (!ended) throw notFound('The token was not found.');
    await emitRevocations(change, [ended]);
  });
}

/** Ends all families of the caller except that of the calling token, and the sessions on the consent page. */
export async function endOtherFamilies(dependencies: Dependencies, actor: Actor, principal: Principal): Promise<void> {
  await requireAllScopes(dependencies.db, principal);
  const isOwn = await ownFamiliesCondition(dependencies, principal);
  await inTransaction(dependencies, actor, async (change) => {
    await removeSessionsOf(change.tx, principal);
    await emitRevocations(
      change,
      await revokeFamilies(change.tx, sql`${isOwn} and id <> ${principal.familyId}`, change.now),
    );
  });
}

/** A token with limited scopes can only end itself; a third-party client can end all tokens of its own. @throws 403 */
async function requireAllScopes(db: Database, principal: Principal): Promise<void> {
  const hasLimitedScopes = principal.kind !== 'client' && !principal.scopes.includes('*');
  if (hasLimitedScopes && (await hasFirstPartyClient(db, principal)))
    throw forbidden('forbidden', 'Ending other sessions and tokens needs the scope *.');
}

async function hasFirstPartyClient(db: Database, principal: Principal): Promise<boolean> {
  return (await findClient(db, principal.clientId))?.first_party === true;
}
