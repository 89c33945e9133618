import type { ProviderState } from '@foyer/contract/resources/providers/service-provider-health.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { isFresh } from './health.ts';

/** How many providers the metrics show. */
export const maxProviders = 1000;

/** The stored state of an active provider. */
export interface ProviderFigures {
  readonly id: Uuid;
  readonly name: string;
  readonly type: string;
  readonly pool: string | null;
  readonly draining: boolean;
  readonly state: ProviderState;
  readonly problem: string | null;
  /** Milliseconds since 1970, as all instants here; null if it was never checked. */
  readonly checkedAtMs: number | null;
  readonly latencyMs: number | null;
  /** At the last count, including those that Foyer did not create; null before the first count. */
  readonly meetings: number | null;
  readonly participants: number | null;
  /** Other providers with the same server and service type. */
  readonly namesWithSameServer: readonly string[];
}

/** Reads the first active providers, and the number of all of them, in one statement. */
export async function readProviderFigures(
  db: Database,
  now: string,
  limit: number,
): Promise<{ readonly total: number; readonly providers: readonly ProviderFigures[] }> {
  const { rows } = await sql<FiguresRow>`
    select (select count(*)::int from service_providers where active) as total, provider.id, provider.provider_name as name,
      provider.provider_type as type, provider.pool, provider.draining, health.state, health.problem,
      health.checked_at as "checkedAt", health.latency_ms as "latencyMs", health.meetings, health.participants,
      array(
        select other.provider_name from service_providers other
        where other.server_key = provider.server_key and other.service_type = provider.service_type
          and other.id <> provider.id
        order by other.id
      ) as "namesWithSameServer"
    from service_providers provider
    left join service_provider_health health on health.service_provider_id = provider.id
    where provider.active
    order by provider.id limit ${limit}
  `.execute(db);
  const nowMs = epochMs(now);
  const providers = rows.map(({ total: _total, checkedAt, ...row }) => {
    const checkedAtMs = checkedAt === null ? null : epochMs(checkedAt);
    return { ...row, checkedAtMs, state: isFresh(checkedAtMs, nowMs) ? (row.state ?? 'unknown') : 'unknown' };
  });
  return { total: rows[0]?.total ?? 0, providers };
}

type FiguresRow = Omit<ProviderFigures, 'state' | 'checkedAtMs'> & {
  readonly total: number;
  readonly state: ProviderState | null;
  readonly checkedAt: string | null;
};
