import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { type FieldFaults, forbidden, invalidInput, notFound } from '../../../platform/failures.ts';
import type { Principal, InputOf, CallOf } from '../../../platform/http/input/call.ts';
import { requirePrincipal } from '../../../platform/http/input/guard.ts';
import { newUuid, type Uuid } from '../../../platform/identity/identifier.ts';
import { createOpaqueToken, hashToken } from '../../../platform/crypto/opaque-token.ts';
import { requireProxyClient, requireClient } from '../clients/client-store.ts';
import { intersectScopes } from './scopes.ts';
import { insertAccessToken, insertFamily, ownerColumn, revokeFamily, type TokenFamilyRow } from '../store.ts';
import { addSeconds, emitRevocations } from './tokens.ts';

type CreateInput = InputOf<'createPersonalAccessToken'>;

/** `token` is only set right after it was created. */
export type PersonalTokenRow = TokenFamilyRow & { readonly updated_at: string; readonly token?: string };

/** Creates a personal access token of the caller. @throws 422, 403 for a scope beyond those of the calling token */
export async function createPersonalToken(
  dependencies: Dependencies,
  { actor, principal: caller, body: input }: CallOf<'createPersonalAccessToken'>,
): Promise<PersonalTokenRow> {
  const principal = requirePrincipal(caller);
  refusePersonalToken(principal);
  await requireInteractiveSession(dependencies, principal);
  const now = dependencies.clock.now();
  const { personal_token_days } = dependencies.settings();
  const expiresAt = input.expires_at ?? addSeconds(now, personal_token_days * 86_400);
  const faults = faultsOf(input, expiresAt, now);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const scopes = [...new Set(input.scopes)];
  const missing = scopes.filter((scope) => !intersectScopes([scope], principal.scopes).includes(scope));
  if (missing.length > 0)
    throw forbidden('privilege-escalation', `Your own token does not have these scopes: ${missing.join(', ')}.`);
  const token = createOpaqueToken('fpt');
  const { id: clientId } = await requireProxyClient(dependencies.db, principal.population);
  return await inTransaction(dependencies, actor, async (change) => {
    const row = await insertFamily(change.tx, {
      id: newUuid(),
      kind: 'personal',
      name: input.name,
      client_id: clientId,
      population: principal.population,
      admin_id: principal.kind === 'admin' ? principal.id : null,
      user_id: principal.kind === 'user' ? principal.id : null,
      scopes,
      address: actor.address,
      expires_at: expiresAt,
      created_at: change.now,
    });
    await insertAccessToken(change.tx, { familyId: row.id, hash: hashToken(token), scopes, expiresAt }, change.now);
    await change.emit(rowEvent('personal_access_token.created', { after: row }));
    return { ...row, updated_at: row.created_at, token };
  });
}

/** @throws 404 */
export async function requirePersonalToken(
  dependencies: Dependencies,
  principal: Principal,
  id: Uuid,
): Promise<PersonalTokenRow> {
  await requireInteractiveSession(dependencies, principal);
  const row = await dependencies.db
    .selectFrom('token_families')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', 'personal')
    .where(ownerColumn(principal.population), '=', principal.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound('The personal access token was not found.');
  return { ...row, updated_at: row.created_at };
}

/** @throws 404 */
export async function revokePersonalToken(
  dependencies: Dependencies,
  { actor, principal, params: { token_id: id } }: CallOf<'deletePersonalAccessToken'>,
): Promise<void> {
  await requirePersonalToken(dependencies, requirePrincipal(principal), id);
  await inTransaction(dependencies, actor, async (change) => {
    const ended = await revokeFamily(change.tx, id, change.now);
    if (!ended) throw notFound('The personal access token was not found.');
    await emitRevocations(change, [ended]);
  });
}

/**
 * Only people manage personal access tokens. Clients that act for themselves have none, and a third-party client could
 * create tokens that outlive its consent.
 * @throws 403
 */
export async function requireInteractiveSession({ db }: Dependencies, principal: Principal): Promise<void> {
  if (principal.kind === 'client')
    throw forbidden('wrong-population', 'Only people can have personal access tokens, not clients.');
  const client = await requireClient(db, principal.clientId);
  if (!client.first_party)
    throw forbidden('first-party-only', 'A token of a third-party client cannot manage personal access tokens.');
}

/** A personal access token cannot create another one, which would outlive it. @throws 403 */
function refusePersonalToken({ tokenKind }: Principal): void {
  if (tokenKind === 'personal')
    throw forbidden('own-hand-required', 'A personal access token cannot create another one. Sign in first.');
}

function faultsOf(input: CreateInput, expiresAt: string, now: string): FieldFaults {
  const faults: FieldFaults = {};
  if (input.scopes.length === 0) faults['scopes'] = ['The scopes field must have at least one scope.'];
  if (Date.parse(expiresAt) <= Date.parse(now)) faults['expires_at'] = ['The expires at field must be in the future.'];
  return faults;
}
