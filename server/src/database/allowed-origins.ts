import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { InvalidationBus } from './invalidation-bus.ts';
import type { Database } from './connect.ts';
import { isTrue } from './row-store.ts';
import { parseUrl } from '../platform/text/read-url.ts';

/**
 * Creates a check whether pages of an origin may call the API (CORS). An origin is allowed if an active or suspended
 * customer lists it, or if an OAuth client without a secret has a redirect URI on it. Results are cached until
 * customers or clients change.
 */
export function createOriginCheck(db: Database, invalidations: InvalidationBus): (origin: string) => Promise<boolean> {
  const allowedByOrigin = new LRUCache<string, boolean>({ max: 10_000, ttl: 600_000, ttlResolution: 0 });
  let generation = 0;
  invalidations.subscribe('origins', () => {
    generation++;
    allowedByOrigin.clear();
  });
  return async (header) => {
    const origin = originOf(header);
    if (origin === null) return false;
    const remembered = invalidations.isListening() ? allowedByOrigin.get(origin) : undefined;
    if (remembered !== undefined) return remembered;
    const before = generation;
    const isAllowed = await isAllowedOrigin(db, origin);
    if (generation === before) allowedByOrigin.set(origin, isAllowed);
    return isAllowed;
  };
}

function originOf(header: string): string | null {
  const url = header.length <= 300 ? parseUrl(header) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === header.toLowerCase() ? url.origin : null;
}

async function isAllowedOrigin(db: Database, origin: string): Promise<boolean> {
  return await isTrue(
    db,
    sql`exists(
      select from customers
      where allowed_domains_origins @> ${JSON.stringify([origin])}::jsonb and effective_status in ('active', 'suspended')
    ) or exists(
      select from oauth_clients client, unnest(client.redirect_uris) uri
      where not client.confidential and starts_with(lower(uri) || '/', ${`${origin}/`})
    )`,
  );
}
