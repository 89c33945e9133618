import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import { type Instant, instantOfMicroseconds } from '../../platform/time/instant.ts';
import type { StreamStateName } from '../../providers/media.ts';

export interface RoomStreamState {
  readonly state: StreamStateName;
  /** Of the running session; null while the room is not live. */
  readonly startedAt: Instant | null;
  readonly viewers: number;
  readonly latencyMode: 'normal' | 'low';
  /** When the last session ended; null if there was none. */
  readonly endedAt: Instant | null;
}

/** The state of the room's stream for viewers; idle if the stream does not exist yet. */
export async function streamStateOf(db: Database, roomId: Uuid): Promise<RoomStreamState> {
  const row = await db
    .selectFrom('streams')
    .select(['state', 'started_at', 'viewers', 'latency_mode'])
    .select(({ selectFrom }) =>
      selectFrom('stream_sessions')
        .select(({ fn }) => fn.max('ended_at').as('ended_at'))
        .whereRef('stream_sessions.room_id', '=', 'streams.room_id')
        .as('ended_at'),
    )
    .where('room_id', '=', roomId)
    .executeTakeFirst();
  return {
    state: row?.state ?? 'idle',
    startedAt: instantOrNull(row?.started_at ?? null),
    viewers: row?.viewers ?? 0,
    latencyMode: row?.latency_mode ?? 'normal',
    endedAt: instantOrNull(row?.ended_at ?? null),
  };
}

/** Why the room's last broadcast since the instant ended; null if it has not ended, or there was none. */
export async function broadcastEndReason(db: Database, roomId: Uuid, sinceMs: number): Promise<string | null> {
  const row = await db
    .selectFrom('stream_sessions')
    .select('end_reason')
    .where('room_id', '=', roomId)
    .where('ended_at', '>=', instantOfMicroseconds(sinceMs * 1000))
    .orderBy('ended_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.end_reason ?? null;
}
