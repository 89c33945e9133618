import type { ProviderState } from '@foyer/contract/resources/providers/service-provider-health.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { isFresh } from '../health/health.ts';
import type { ChosenProvider } from '../store.ts';
import { loadColumns, loadJoins, sharedServers } from './load-store.ts';
import { type PlacementCandidate, orderCandidates, type RankedCandidate, requiredTagsOf } from './placement.ts';

/** A provider that a subscription can use, with its stored state. */
interface UnrankedCandidate extends PlacementCandidate, ChosenProvider {
  readonly pool: string | null;
  /** When the state began; null if unknown. */
  readonly since: string | null;
}

export type ProviderCandidate = RankedCandidate<UnrankedCandidate>;

/**
 * The providers for a new meeting of the subscription, in the order in which they are tried, followed by those that
 * take none, with the reasons. Uses our own meetings and the last poll; sends no requests.
 */
export async function providersFor(db: Database | Tx, subscriptionId: Uuid, now: string): Promise<ProviderCandidate[]> {
  const { rows } = await sql<CandidateRow>`
    with entry as (
      select row_number() over (order by attached.is_default desc, attached.id)::int - 1 as pool_index, attached.settings,
        provider.id, provider.pool, provider.service_type
      from subscription_providers attached
      join service_providers provider on provider.id = attached.service_provider_id
      where attached.subscription_id = ${subscriptionId} and attached.active
    ), member as (
      select entry.pool_index, entry.settings as subscription_settings, provider.id, provider.provider_name, provider.provider_type,
        provider.properties, provider.pool, provider.tags, provider.weight, provider.draining, provider.max_meetings,
        provider.max_participants, health.state, health.since, health.checked_at, health.counted_at, health.participants,
        health.foreign_meetings, health.foreign_participants,
        -- Many meetings are not counted one by one where the last poll tells enough.
        provider.max_meetings is not null or provider.max_participants is not null or health.counted_at is null
          as is_needed,
        provider.max_participants is not null as is_exact
      from entry
      join service_providers provider on provider.active and (provider.id = entry.id
        or (provider.pool = entry.pool and provider.service_type = entry.service_type))
      left join service_provider_health health on health.service_provider_id = provider.id
    ), ${sharedServers}
    select member.*, ${loadColumns} from member ${loadJoins(now)}
  `.execute(db);
  return orderCandidates(rows.map(toCandidate(epochMs(now))), Math.random);
}

/** The types of the providers on which meetings of the subscription can be opened, including members of pools. */
export async function providerTypesOf(db: Database | Tx, subscriptionId: Uuid): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    select distinct provider.provider_type as type
    from subscription_providers attached
    join service_providers named on named.id = attached.service_provider_id
    join service_providers provider on provider.id = named.id
      or (provider.pool = named.pool and provider.service_type = named.service_type)
    where attached.subscription_id = ${subscriptionId}
  `.execute(db);
  return rows.map(({ type }) => type);
}

interface CandidateRow extends ChosenProvider {
  readonly pool_index: number;
  readonly subscription_settings: Record<string, unknown>;
  readonly pool: string | null;
  readonly tags: string[];
  readonly weight: number;
  readonly draining: boolean;
  readonly max_meetings: number | null;
  readonly max_participants: number | null;
  readonly state: ProviderState | null;
  readonly since: string | null;
  readonly checked_at: string | null;
  readonly counted_at: string | null;
  readonly participants: number | null;
  readonly foreign_meetings: number | null;
  readonly foreign_participants: number | null;
  readonly own_meetings: number;
  readonly own_participants: number;
  readonly expected_participants: number;
}

function toCandidate(nowMs: number) {
  return (row: CandidateRow): UnrankedCandidate => {
    const isKnown = row.checked_at !== null && isFresh(epochMs(row.checked_at), nowMs);
    const isCounted = row.counted_at !== null && isFresh(epochMs(row.counted_at), nowMs);
    const hasLimit = row.max_meetings !== null || row.max_participants !== null;
    // Without a limit, an old count is good enough.
    const canUseOldCount = !hasLimit && row.participants !== null;
    const foreign = isCounted ? (row.foreign_participants ?? 0) : 0;
    return {
      id: row.id,
      provider_name: row.provider_name,
      provider_type: row.provider_type,
      properties: row.properties,
      pool: row.pool,
      poolIndex: row.pool_index,
      requiredTags: requiredTagsOf(row.subscription_settings),
      tags: row.tags,
      weight: row.weight,
      draining: row.draining,
      maxMeetings: row.max_meetings,
      maxParticipants: row.max_participants,
      state: isKnown ? (row.state ?? 'unknown') : 'unknown',
      since: isKnown ? row.since : null,
      meetings: row.own_meetings + (isCounted ? (row.foreign_meetings ?? 0) : 0),
      participants: canUseOldCount ? (row.participants ?? 0) : row.own_participants + foreign,
      expectedParticipants: row.expected_participants,
    };
  };
}
