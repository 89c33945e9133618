import { inTransaction, type ChangeServices } from '../../../events/change.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { hashToken, isOpaqueToken } from '../../../platform/crypto/opaque-token.ts';
import { authenticateClient, invalidRequest, type ProtocolRequest } from '../clients/client-authentication.ts';
import { findFamilyOfToken } from '../store.ts';
import { endFamily, ownerAsActor } from '../tokens/tokens.ts';

/**
 * The revocation endpoint of RFC 7009: revokes the whole token family. Unknown and expired tokens and those of other
 * clients get the same answer.
 * @throws 400 `invalid_request`, 401 `invalid_client`
 */
export async function answerRevocation(
  services: ChangeServices,
  actor: Actor,
  request: ProtocolRequest,
): Promise<void> {
  const client = await authenticateClient(services.db, request);
  const { token } = request.body;
  if (typeof token !== 'string') throw invalidRequest('The token is missing.');
  if (!isOpaqueToken(token)) return;
  const family = await findFamilyOfToken(services.db, hashToken(token));
  if (!family || family.client_id !== client.id) return;
  await inTransaction(services, ownerAsActor(actor, { client, owner: null }), (change) => endFamily(change, family.id));
}
