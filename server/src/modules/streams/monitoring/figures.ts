import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';

export interface StreamFigures {
  readonly live: number;
  readonly reconnecting: number;
  readonly viewers: number;
  /** Enabled outputs that do not send. */
  readonly failedOutputs: number;
  readonly liveOutputs: number;
}

/** Counts the running broadcasts of all rooms, and their outputs. */
export async function readStreamFigures(db: Database): Promise<StreamFigures> {
  const { rows } = await sql<StreamFigures>`
    select streams.*, outputs.*
    from (
      select count(*) filter (where state = 'live')::int as live,
        count(*) filter (where state = 'reconnecting')::int as reconnecting,
        coalesce(sum(viewers), 0)::int as viewers
      from streams where state <> 'idle'
    ) streams, (
      select count(*) filter (where outputs.state = 'live')::int as "liveOutputs",
        count(*) filter (where outputs.state in ('reconnecting', 'failed'))::int as "failedOutputs"
      from streams join outputs using (room_id) where streams.state <> 'idle' and enabled
    ) outputs
  `.execute(db);
  const [figures] = rows;
  if (!figures) throw new Error('PostgreSQL returned no figures of streams.');
  return figures;
}

export interface FailingOrders {
  readonly providerName: string;
  readonly count: number;
}

/** How many orders each media server has rejected or not answered so far. */
export async function countFailingOrders(db: Database): Promise<FailingOrders[]> {
  const { rows } = await sql<FailingOrders>`
    select provider_name as "providerName", count(*)::int as count
    from stream_orders join service_providers provider on provider.id = service_provider_id
    where attempts > 0 group by provider.id order by provider_name
  `.execute(db);
  return rows;
}
