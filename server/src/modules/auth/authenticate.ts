import { LRUCache } from 'lru-cache';
import type { InvalidationBus } from '../../database/invalidation-bus.ts';
import type { Database } from '../../database/connect.ts';
import { isWriteRefused } from '../../database/write-refused.ts';
import type { Clock } from '../../platform/time/clock.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import { hashToken, isOpaqueToken } from '../../platform/crypto/opaque-token.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { Settings } from '../../platform/settings.ts';
import { tenantsOfUser } from '../memberships/index.ts';
import { intersectScopes } from './tokens/scopes.ts';
import { findTokenOwner, type TokenOwnerRow } from './token-owner-store.ts';

interface CachedPrincipal {
  readonly principal: Principal;
  /** The principal to use while the setting `require_two_factor` is on. */
  readonly principalIfTwoFactorRequired: Principal;
  readonly expiresAtMs: number;
}

/**
 * Finds the principal of an access token. The result is cached for ten seconds, and an invalidation of
 * `access` empties the cache. Nothing is cached while the invalidation bus is disconnected.
 */
export function createAuthenticator(
  db: Database,
  invalidations: InvalidationBus,
  clock: Clock,
  settings: () => Settings,
): (token: string) => Promise<Principal | null> {
  // Resolution 0: the cache reads the clock each time; otherwise it starts a timer in most milliseconds.
  const cache = new LRUCache<string, CachedPrincipal>({ max: 20_000, ttl: 10_000, ttlResolution: 0 });
  let generation = 0;
  invalidations.subscribe('access', () => {
    generation++;
    cache.clear();
  });
  return async (token) => {
    if (!isOpaqueToken(token)) return null;
    // The setting is read each time, since changes of it do not invalidate this cache.
    const pick = (entry: CachedPrincipal) =>
      settings().require_two_factor ? entry.principalIfTwoFactorRequired : entry.principal;
    const cached = invalidations.isListening() ? cache.get(token) : undefined;
    if (cached) return cached.expiresAtMs > clock.nowMs() ? pick(cached) : null;
    const generationBefore = generation;
    const hash = hashToken(token);
    const owner = await findTokenOwner(db, hash, clock.now()).catch(async (error: unknown) => {
      // While the database is read-only, requests are still authenticated, but the last use is not stored.
      if (isWriteRefused(error)) return await findTokenOwner(db, hash, clock.now(), false);
      throw error;
    });
    if (!owner) return null;
    // Not in the statement above, so that administrators and clients do not depend on the tables of customers.
    const [tenantId = null] = owner.user_id === null ? [] : (await tenantsOfUser(db, owner.user_id)).toSorted();
    const principal = principalOf(owner, tenantId, settings());
    const principalIfTwoFactorRequired = owner.lacks_second_factor ? { ...principal, mustEnroll: true } : principal;
    const entry = { principal, principalIfTwoFactorRequired, expiresAtMs: Date.parse(owner.expires_at) };
    if (generation === generationBefore) cache.set(token, entry);
    return pick(entry);
  };
}

function principalOf(owner: TokenOwnerRow, tenantId: Uuid | null, settings: Settings): Principal {
  const id = owner.admin_id ?? owner.user_id;
  return {
    kind: id === null ? 'client' : owner.admin_id === null ? 'user' : 'admin',
    population: owner.population,
    id: id ?? owner.client_id,
    name: owner.name ?? owner.client_name,
    tenantId,
    locale: owner.locale,
    timezone: owner.timezone ?? settings.system_timezone,
    isFullAdmin: owner.is_full_admin,
    mustEnroll: false,
    permissions: new Set(owner.permissions),
    scopes: intersectScopes(owner.scopes, owner.client_scopes),
    familyId: owner.family_id,
    tokenKind: owner.kind,
    clientId: owner.client_id,
    clientName: owner.client_name,
  };
}
