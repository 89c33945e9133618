import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** Recordings that wait for their provider: for processing, a change or a deletion. */
export type Wait = 'processing' | 'change' | 'deletion';

export interface WaitingRecordings {
  readonly providerId: Uuid;
  readonly providerName: string;
  readonly wait: Wait;
  /** Can be 0. */
  readonly count: number;
}

/** Counts the waiting recordings of the first `maxProviders` active providers. */
export async function countWaitingRecordings(db: Database, maxProviders: number): Promise<WaitingRecordings[]> {
  const { rows } = await sql<WaitingRecordings>`
    with provider as (
      select id, provider_name from service_providers where active order by id limit ${maxProviders}
    ), waiting as (
      select service_provider_id, 'processing' as wait, count(*) from recordings
      where deleted_at is null and state in ('processing', 'processed')
      group by service_provider_id
      union all
      select service_provider_id, 'change', count(*) from recordings where push_at is not null
      group by service_provider_id
      union all
      select service_provider_id, 'deletion', count(*) from recording_removals group by service_provider_id
    )
    select provider.id as "providerId", provider_name as "providerName", wait.wait,
      coalesce(waiting.count, 0)::int as count
    from provider cross join unnest(array['processing', 'change', 'deletion']) wait
    left join waiting on waiting.service_provider_id = provider.id and waiting.wait = wait.wait
    order by provider_name, provider.id
  `.execute(db);
  return rows;
}

export interface UnsizedRecordings {
  readonly providerName: string;
  readonly count: number;
}

/** Counts, for each active provider, the recordings without a size, which `max_storage` does not count. */
export async function countRecordingsWithoutSize(db: Database): Promise<UnsizedRecordings[]> {
  const { rows } = await sql<UnsizedRecordings>`
    select provider.provider_name as "providerName", count(*)::int as count
    from recordings join service_providers provider on provider.id = service_provider_id
    where active and deleted_at is null and ready_at is not null and size_bytes is null
    group by provider.id order by provider.provider_name
  `.execute(db);
  return rows;
}
