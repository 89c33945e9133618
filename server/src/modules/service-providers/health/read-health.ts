import {
  healthPeriods,
  type HealthPeriod,
  type ProviderState,
} from '@foyer/contract/resources/providers/service-provider-health.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { invalidInput, notFound } from '../../../platform/failures.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs, instantOfMicroseconds, printInstant } from '../../../platform/time/instant.ts';
import { instantOrNull } from '../../../platform/row-members.ts';
import { isFresh } from './health.ts';
import { readAvailability, type HealthRow, readHistory, type HistoryPart } from './health-store.ts';
import { loadColumns, loadJoins, sharedServers } from '../placement/load-store.ts';
import { isFull, shareOf, type PoolMember } from '../placement/placement.ts';
import type { ServiceProviderRow } from '../store.ts';

/** How long each entry of a history is, and how many there are. */
const histories: Readonly<Record<HealthPeriod, { stepMs: number; count: number }>> = {
  hour: { stepMs: 5 * 60_000, count: 12 },
  day: { stepMs: 30 * 60_000, count: 48 },
  week: { stepMs: 2 * 3_600_000, count: 84 },
  month: { stepMs: 24 * 3_600_000, count: 30 },
};

const dayMs = 86_400_000;

/** @throws 404; 422 for an unknown period */
export async function readHealth(
  { db, clock }: Dependencies,
  id: Uuid,
  wantedPeriod: string | undefined,
): Promise<Record<string, unknown>> {
  const period = healthPeriods.find((name) => name === (wantedPeriod ?? 'day'));
  if (!period) throw invalidInput({ period: [`The period field must be one of: ${healthPeriods.join(', ')}.`] });
  const now = clock.now();
  const nowMs = epochMs(now);
  const rows = await healthRows(db, now, id);
  const row = rows.find((member) => member.id === id);
  if (!row) throw notFound('The service provider was not found.');
  const { stepMs, count } = histories[period];
  const firstMs = (Math.floor(nowMs / stepMs) + 1 - count) * stepMs;
  const [parts, availability] = await Promise.all([
    readHistory(db, id, { from: instantOfMs(firstMs), stepMs }),
    readAvailability(db, id, { dayAgo: instantOfMs(nowMs - dayMs), weekAgo: instantOfMs(nowMs - 7 * dayMs) }),
  ]);
  const bySlot = new Map(parts.map((part) => [part.slot, part]));
  return {
    object: 'ServiceProviderHealth',
    ...summarize(row, nowMs, poolsOf(rows, nowMs)),
    availability: { day: roundDown(availability.day), week: roundDown(availability.week) },
    period,
    history: Array.from({ length: count }, (_, slot) =>
      printPart(bySlot.get(slot), firstMs + slot * stepMs, firstMs + (slot + 1) * stepMs),
    ),
  };
}

/** The health of all providers, ordered by name. */
export async function listHealth({ db, clock }: Dependencies): Promise<Record<string, unknown>> {
  const now = clock.now();
  const rows = await healthRows(db, now, null);
  const pools = poolsOf(rows, epochMs(now));
  return {
    object: 'ServiceProvidersHealth',
    providers: rows.map((row) => ({
      object: 'ServiceProviderSummary',
      provider_name: row.provider_name,
      pool: row.pool,
      ...summarize(row, epochMs(now), pools),
    })),
  };
}

type ProviderHealthRow = Pick<ServiceProviderRow, 'id' | 'provider_name' | 'active' | 'pool' | 'weight' | 'draining'> &
  Pick<ServiceProviderRow, 'max_meetings' | 'max_participants'> & {
    readonly [Member in keyof Omit<HealthRow, 'service_provider_id' | 'state'>]: HealthRow[Member] | null;
  } & {
    readonly state: ProviderState | null;
    readonly own_meetings: number;
    readonly own_participants: number;
    /** Other providers with the same server. */
    readonly same_server: readonly Uuid[];
  };

/** @param id only this provider, with the members of its pool; null for all providers */
async function healthRows(db: Database, now: string, id: Uuid | null): Promise<ProviderHealthRow[]> {
  const { rows } = await sql<ProviderHealthRow>`
    with member as (
      select health.*, provider.id, provider.provider_name, provider.active, provider.pool, provider.weight,
        provider.draining, provider.max_meetings, provider.max_participants, true as is_needed,
        provider.max_participants is not null as is_exact,
        array(
          select other.id from service_providers other
          where other.server_key = provider.server_key and other.id <> provider.id
          order by other.id
        ) as same_server
      from service_providers provider
      left join service_provider_health health on health.service_provider_id = provider.id
      where ${id}::uuid is null or provider.id = ${id}::uuid
        or provider.pool = (select pool from service_providers where id = ${id}::uuid)
    ), ${sharedServers}
    select member.*, ${loadColumns} from member ${loadJoins(now)}
    order by lower(provider_name), member.id
  `.execute(db);
  return rows;
}

type Pools = ReadonlyMap<string | null, readonly PoolMember[]>;

function poolsOf(rows: readonly ProviderHealthRow[], nowMs: number): Pools {
  const pools = new Map<string | null, PoolMember[]>();
  for (const row of rows) {
    const members = pools.get(row.pool);
    if (members) members.push(poolMemberOf(row, nowMs));
    else pools.set(row.pool, [poolMemberOf(row, nowMs)]);
  }
  return pools;
}

function summarize(row: ProviderHealthRow, nowMs: number, pools: Pools) {
  const checkedMs = row.checked_at === null ? null : epochMs(row.checked_at);
  const isKnown = isFresh(checkedMs, nowMs);
  const load = loadOf(row, nowMs);
  const ownMember = poolMemberOf(row, nowMs);
  return {
    service_provider_id: printIdentifier('prov', row.id),
    state: stateOf(row, nowMs),
    since: instantOrNull(isKnown ? row.since : row.checked_at),
    checked_at: instantOrNull(row.checked_at),
    latency_ms: row.latency_ms,
    api_version: row.api_version,
    problem: row.problem,
    active: row.active,
    draining: row.draining,
    running_meetings: row.meetings,
    participants: row.participants,
    counted_at: instantOrNull(row.counted_at),
    same_server: row.same_server.map((id) => printIdentifier('prov', id)),
    capacity: {
      max_meetings: row.max_meetings,
      max_participants: row.max_participants,
      meetings_left: remainingOf(row.max_meetings, load.meetings),
      participants_left: remainingOf(row.max_participants, load.participants),
      takes_meetings: ownMember.takesMeetings,
      share: row.pool === null ? null : roundDown(shareOf(ownMember, pools.get(row.pool) ?? [])),
    },
  };
}

function stateOf({ state, checked_at: checkedAt }: ProviderHealthRow, nowMs: number): ProviderState {
  return checkedAt !== null && isFresh(epochMs(checkedAt), nowMs) ? (state ?? 'unknown') : 'unknown';
}

function loadOf(row: ProviderHealthRow, nowMs: number) {
  const isCounted = row.counted_at !== null && isFresh(epochMs(row.counted_at), nowMs);
  return {
    meetings: row.own_meetings + (isCounted ? (row.foreign_meetings ?? 0) : 0),
    participants: row.own_participants + (isCounted ? (row.foreign_participants ?? 0) : 0),
  };
}

function poolMemberOf(row: ProviderHealthRow, nowMs: number): PoolMember {
  const { max_meetings: maxMeetings, max_participants: maxParticipants } = row;
  const state = stateOf(row, nowMs);
  const hasCapacity = !isFull({ ...loadOf(row, nowMs), maxMeetings, maxParticipants });
  return { weight: row.weight, state, takesMeetings: row.active && !row.draining && state !== 'down' && hasCapacity };
}

function printPart(part: HistoryPart | undefined, startMs: number, endMs: number) {
  const checks = part?.checks ?? 0;
  const failures = part?.failures ?? 0;
  return {
    starts_at: printInstant(instantOfMs(startMs)),
    ends_at: printInstant(instantOfMs(endMs)),
    checks,
    failures,
    availability: checks === 0 ? null : roundDown((100 * (checks - failures)) / checks),
    latency_ms: part?.latency ?? null,
    latency_max_ms: part?.latency_max ?? null,
    running_meetings: part?.meetings ?? null,
    participants: part?.participants ?? null,
  };
}

function remainingOf(limit: number | null, used: number): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}

/** Two decimals; less than 100 is never rounded up to 100. */
function roundDown(percent: number | null): number | null {
  return percent === null ? null : Math.floor(percent * 100) / 100;
}

function instantOfMs(ms: number): string {
  return instantOfMicroseconds(ms * 1000);
}
