import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';

/** The origins at which browsers reach the media servers: for uploads, posters and players. */
export async function listMediaOrigins(db: Database): Promise<string[]> {
  const { rows } = await sql<{ url: string | null }>`
    select distinct coalesce(nullif(properties->>'public_url', ''), properties->>'host_url') as url
    from service_providers where provider_type = 'foyer-media' order by 1 limit 100
  `.execute(db);
  return [...new Set(rows.flatMap(({ url }) => (url !== null && URL.canParse(url) ? [new URL(url).origin] : [])))];
}
