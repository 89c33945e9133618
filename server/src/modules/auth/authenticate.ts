import { LRUCache } from 'lru-cache';
import type { Bulletin } from '../../database/bulletin.ts';
import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Principal } from '../../platform/http/call.ts';
import { hashToken, isOpaqueToken } from '../../platform/opaque-token.ts';
import { findTokenOwner, type TokenOwnerRow } from './store.ts';

interface Known {
  readonly principal: Principal;
  readonly expiresAtMs: number;
}

/**
 * Finds the principal of an access token. What was found is remembered for seconds, dropped when access is
 * announced to have changed, and not remembered at all while announcements cannot be heard.
 */
export function createAuthenticator(
  db: Database,
  bulletin: Bulletin,
  clock: Clock,
): (token: string) => Promise<Principal | null> {
  const known = new LRUCache<string, Known>({ max: 20_000, ttl: 10_000 });
  let generation = 0;
  bulletin.subscribe('access', () => {
    generation++;
    known.clear();
  });
  return async (token) => {
    if (!isOpaqueToken(token)) return null;
    const remembered = bulletin.isListening() ? known.get(token) : undefined;
    if (remembered) return remembered.expiresAtMs > clock.nowMs() ? remembered.principal : null;
    const before = generation;
    const owner = await findTokenOwner(db, hashToken(token), clock.now());
    if (!owner) return null;
    const principal = principalOf(owner);
    if (principal && generation === before) known.set(token, { principal, expiresAtMs: Date.parse(owner.expires_at) });
    return principal;
  };
}

function principalOf(owner: TokenOwnerRow): Principal | null {
  const id = owner.admin_id ?? owner.user_id;
  if (id === null) return null;
  return {
    kind: owner.admin_id === null ? 'user' : 'admin',
    population: owner.population,
    id,
    name: owner.name,
    locale: owner.locale,
    timezone: owner.timezone,
    isFullAdmin: owner.is_full_admin,
    permissions: new Set(owner.permissions),
    scopes: owner.scopes,
    familyId: owner.family_id,
    clientId: owner.client_id,
    clientName: owner.client_name,
  };
}
