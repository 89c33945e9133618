import { newRow } from '../../../database/row-store.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { invalidInput, conflict } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../../platform/immutable.ts';
import { createOpaqueToken, hashToken } from '../../../platform/crypto/opaque-token.ts';
import { revokeFamilies } from '../store.ts';
import { emitRevocations } from '../tokens/tokens.ts';
import { clientFaults, defaultScopes, isFirstPartyByDefault, requireAuthorityOver } from './client-rules.ts';
import {
  insertClient,
  lockClient,
  type OauthClientRow,
  type ClientRowWithSecret,
  removeClient,
  storeClient,
} from './client-store.ts';

/** @throws 422 for an invalid client, 403 for scopes that the caller does not hold */
export async function createClient(
  dependencies: Dependencies,
  { actor, principal, body: input }: CallOf<'createOauthClient'>,
): Promise<ClientRowWithSecret> {
  const shape = {
    population: input.population,
    confidential: input.confidential ?? true,
    first_party: input.first_party ?? isFirstPartyByDefault(principal, input.grants),
    redirect_uris: unique(input.redirect_uris ?? []),
    grants: unique(input.grants),
    scopes: unique(input.scopes ?? defaultScopes(input.grants)),
  };
  refuseInvalidClient(shape);
  requireAuthorityOver(principal, shape);
  const secret = shape.confidential ? createOpaqueToken('fcs') : null;
  return await inTransaction(dependencies, actor, async ({ tx, now, emit, invalidate }) => {
    const row = await insertClient(tx, {
      ...newRow(now),
      ...shape,
      name: input.name,
      secret_hash: secret === null ? null : hashToken(secret),
    });
    if (!row) throw new Error('the client was not stored');
    if (!row.confidential) invalidate('origins');
    await emit(rowEvent('oauth_client.created', { after: row }));
    return secret === null ? row : { ...row, secret };
  });
}

/** @throws 404, 409 for a proxy client, 422, 403 */
export async function updateClient(
  dependencies: Dependencies,
  { actor, principal, params: { client_id: id }, body: input, immutable }: CallOf<'updateOauthClient'>,
): Promise<OauthClientRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit, invalidate }) => {
    const row = await lockChangeableClient(tx, id);
    refuseChanged(immutable, row);
    const changes = withoutUndefined({
      ...input,
      ...(input.redirect_uris ? { redirect_uris: unique(input.redirect_uris) } : {}),
      ...(input.grants ? { grants: unique(input.grants) } : {}),
      ...(input.scopes ? { scopes: unique(input.scopes) } : {}),
    });
    const next = { ...row, ...changes };
    refuseInvalidClient(next);
    requireAuthorityOver(principal, row);
    requireAuthorityOver(principal, next);
    const updated = await storeClient(tx, id, { ...changes, updated_at: now });
    invalidate('access');
    if (!row.confidential) invalidate('origins');
    await emit(rowEvent('oauth_client.updated', { before: row, after: updated }));
    return updated;
  });
}

/** Also deletes its tokens and codes. @throws 404, 409 for a proxy client, 403 */
export async function deleteClient(
  dependencies: Dependencies,
  { actor, principal, params: { client_id: id } }: CallOf<'deleteOauthClient'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit, invalidate } = change;
    const row = await lockChangeableClient(tx, id);
    requireAuthorityOver(principal, row);
    await emitRevocations(change, await revokeFamilies(tx, sql`client_id = ${id}`, now));
    await removeClient(tx, id);
    invalidate('access');
    if (!row.confidential) invalidate('origins');
    await emit(rowEvent('oauth_client.deleted', { before: row }));
  });
}

/** @throws 404, 409 for a proxy client or a public client, 403 */
export async function rotateSecret(
  dependencies: Dependencies,
  { actor, principal, params: { client_id: id } }: CallOf<'rotateOauthClientSecret'>,
): Promise<ClientRowWithSecret> {
  const secret = createOpaqueToken('fcs');
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockChangeableClient(tx, id);
    requireAuthorityOver(principal, row);
    if (!row.confidential) throw conflict('client-not-confidential', 'This client is public, so it has no secret.');
    const updated = await storeClient(tx, id, { secret_hash: hashToken(secret), updated_at: now });
    await emit(rowEvent('oauth_client.secret_rotated', { before: row, after: updated }));
    return { ...updated, secret };
  });
}

async function lockChangeableClient(tx: Parameters<typeof lockClient>[0], id: Uuid): Promise<OauthClientRow> {
  const row = await lockClient(tx, id);
  if (row.proxy)
    throw conflict('proxy-client', 'The clients that the platform uses for its own logins cannot be changed.');
  return row;
}

function refuseInvalidClient(shape: Parameters<typeof clientFaults>[0]): void {
  const faults = clientFaults(shape);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}

function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
