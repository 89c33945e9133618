import type { ChangeServices } from '../../../events/change.ts';
import { printIdentifier } from '../../../platform/identity/identifier.ts';
import { hashToken, isOpaqueToken } from '../../../platform/crypto/opaque-token.ts';
import {
  authenticateClient,
  invalidClient,
  invalidRequest,
  type ProtocolRequest,
} from '../clients/client-authentication.ts';
import { intersectScopes } from '../tokens/scopes.ts';
import { findRefreshToken } from '../store.ts';
import { findTokenOwner, type TokenOwnerRow } from '../token-owner-store.ts';

const inactive = { active: false };

type LiveToken = { readonly type: 'access' | 'refresh' } & Pick<
  TokenOwnerRow,
  | 'population'
  | 'scopes'
  | 'client_scopes'
  | 'client_id'
  | 'admin_id'
  | 'user_id'
  | 'name'
  | 'created_at'
  | 'expires_at'
>;

/**
 * The introspection endpoint of RFC 7662, for confidential clients, about tokens of their own population.
 * @throws 400 `invalid_request`, 401 `invalid_client`
 */
export async function answerIntrospection(
  services: ChangeServices,
  issuer: string,
  request: ProtocolRequest,
): Promise<Record<string, unknown>> {
  const client = await authenticateClient(services.db, request);
  if (!client.confidential) throw invalidClient('Only confidential clients can introspect tokens.');
  const { token } = request.body;
  if (typeof token !== 'string') throw invalidRequest('The token is missing.');
  const live = isOpaqueToken(token) ? await findLiveToken(services, token) : null;
  if (!live || live.population !== client.population) return inactive;
  const { admin_id, user_id } = live;
  const clientId = printIdentifier('client', live.client_id);
  return {
    active: true,
    scope: intersectScopes(live.scopes, live.client_scopes).join(' '),
    client_id: clientId,
    username: live.name ?? undefined,
    token_type: live.type === 'access' ? 'Bearer' : undefined,
    exp: secondsOf(live.expires_at),
    iat: secondsOf(live.created_at),
    sub:
      admin_id !== null
        ? printIdentifier('admin', admin_id)
        : user_id !== null
          ? printIdentifier('user', user_id)
          : clientId,
    iss: issuer,
  };
}

async function findLiveToken({ db, clock }: ChangeServices, token: string): Promise<LiveToken | null> {
  const hash = hashToken(token);
  const access = await findTokenOwner(db, hash, clock.now(), false);
  if (access) return { ...access, type: 'access' };
  const refresh = await findRefreshToken(db, hash);
  const isLive =
    refresh?.revoked_at === null &&
    refresh.rotated_at === null &&
    refresh.is_owner_active &&
    refresh.is_grant_allowed &&
    Date.parse(refresh.expires_at) > clock.nowMs();
  return refresh && isLive ? { ...refresh, type: 'refresh', name: refresh.owner_name } : null;
}

function secondsOf(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000);
}
