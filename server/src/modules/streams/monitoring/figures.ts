import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';

export interface StreamFigures {
  readonly live: number;
  readonly reconnecting: number;
  readonly viewers: number;
  /** Outputs that are to send, and do not. */
  readonly failedOutputs: number;
  readonly liveOutputs: number;
}

/** The broadcasts of all rooms, and the outputs of those that are live. */
export async function streamFigures(db: Database): Promise<StreamFigures> {
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

export interface WaitingOrders {
  readonly providerName: string;
  readonly count: number;
}

/** By media server, how many orders for streams it has refused or not answered so far. */
export async function ordersTriedAgain(db: Database): Promise<WaitingOrders[]> {
  const { rows } = await sql<WaitingOrders>`
    select provider_name as "providerName", count(*)::int as count
    from stream_orders join service_providers provider on provider.id = service_provider_id
    where attempts > 0 group by provider.id order by provider_name
  `.execute(db);
  return rows;
}
