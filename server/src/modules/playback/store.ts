import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export interface WatchedSession {
  readonly meeting_id: Uuid;
  readonly room_id: Uuid;
  readonly provider_id: Uuid;
  readonly provider_type: string;
  readonly properties: Record<string, unknown>;
}

/** The current session of the media room, and its media server. */
export async function findSession(
  db: Database,
  roomId: Uuid,
): Promise<(WatchedSession & { session: string }) | undefined> {
  const { rows } = await sql<WatchedSession & { session: string }>`
    select meeting.id as meeting_id, meeting.room_id, meeting.provider_internal_id as session, provider.id as provider_id,
      provider.provider_type, provider.properties
    from meetings meeting join service_providers provider on provider.id = meeting.service_provider_id
    where meeting.room_id = ${roomId} and meeting.state = 'open' and meeting.room_type <> 'meet'
  `.execute(db);
  return rows[0];
}

/** Whether the entry belongs to the session, and its room token, if it has one, is still valid. */
export async function mayStillWatch(db: Database, meetingId: Uuid, entryId: string, now: string): Promise<boolean> {
  const { rows } = await sql<{ id: Uuid }>`
    select entry.id from room_entries entry left join room_tokens token on token.id = entry.room_token_id
    where entry.id = ${entryId} and entry.meeting_id = ${meetingId} and not (${isRevoked(now)})
  `.execute(db);
  return rows.length > 0;
}

export interface RevokedViewer extends WatchedSession {
  readonly entry_id: Uuid;
}

/** Viewers whose room token was deleted or has expired since they joined. */
export async function listRevokedViewers(db: Database, now: string): Promise<RevokedViewer[]> {
  const { rows } = await sql<RevokedViewer>`
    select entry.id as entry_id, meeting.id as meeting_id, meeting.room_id, provider.id as provider_id,
      provider.provider_type, provider.properties
    from meetings meeting
    join service_providers provider on provider.id = meeting.service_provider_id
    join room_entries entry on entry.meeting_id = meeting.id and entry.left_at is null and entry.first_entry_id is null
    left join room_tokens token on token.id = entry.room_token_id
    where meeting.state = 'open' and meeting.room_type <> 'meet' and (${isRevoked(now)})
    order by entry.id
  `.execute(db);
  return rows;
}

function isRevoked(now: string) {
  // Never null: a token without expiry is valid, also under a `not`.
  return sql`entry.has_token and (token.id is null or coalesce(token.expires_at <= ${now}::timestamptz, false))`;
}

export async function hasSessions(db: Database): Promise<boolean> {
  const { rows } = await sql`select from meetings where state = 'open' and room_type <> 'meet' limit 1`.execute(db);
  return rows.length > 0;
}
