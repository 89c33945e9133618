import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identifier.ts';

/** What recordings wait for: to be processed by their provider, or that it carries a change or a deletion out. */
export const waits = ['processing', 'change', 'deletion'] as const;

export interface WaitingRecordings {
  readonly providerId: Uuid;
  readonly wait: (typeof waits)[number];
  readonly count: number;
}

/** Of the providers of which some wait. */
export async function waitingRecordings(db: Database): Promise<WaitingRecordings[]> {
  const { rows } = await sql<WaitingRecordings>`
    select service_provider_id as "providerId", 'processing' as wait, count(*)::int as count from recordings
    where deleted_at is null and state in ('processing', 'processed') and service_provider_id is not null
    group by service_provider_id
    union all
    select service_provider_id, 'change', count(*)::int from recordings
    where push_at is not null and service_provider_id is not null
    group by service_provider_id
    union all
    select service_provider_id, 'deletion', count(*)::int from recording_removals group by service_provider_id
  `.execute(db);
  return rows;
}

/** By provider, how many recordings that can be watched have no size, so that `max_storage` does not count them. */
export async function recordingsWithoutSize(db: Database): Promise<ReadonlyMap<Uuid, number>> {
  const { rows } = await sql<{ id: Uuid; count: number }>`
    select service_provider_id as id, count(*)::int as count from recordings
    where deleted_at is null and ready_at is not null and size_bytes is null and service_provider_id is not null
    group by service_provider_id
  `.execute(db);
  return new Map(rows.map(({ id, count }) => [id, count]));
}
