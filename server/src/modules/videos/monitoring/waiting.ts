import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type VideoWait = 'upload' | 'processing' | 'deletion';

export interface WaitingVideos {
  readonly providerId: Uuid;
  readonly providerName: string;
  readonly wait: VideoWait;
  readonly count: number;
  /** The last change of the video that has waited longest. */
  readonly since: string;
}

/** Counts the videos that wait on active media servers: for their upload, for processing, or for their deletion. */
export async function countWaitingVideos(db: Database): Promise<WaitingVideos[]> {
  const { rows } = await sql<WaitingVideos>`
    with waiting as (
      select service_provider_id, case when state in ('queued', 'processing') then 'processing' else 'upload' end as wait,
        updated_at as since
      from videos where state not in ('ready', 'failed')
      union all
      select service_provider_id, 'deletion', created_at from video_removals
    )
    select provider.id as "providerId", provider_name as "providerName", wait, count(*)::int as count, min(since) as since
    from waiting join service_providers provider on provider.id = service_provider_id
    where active group by provider.id, wait order by provider_name, provider.id, wait
  `.execute(db);
  return rows;
}
