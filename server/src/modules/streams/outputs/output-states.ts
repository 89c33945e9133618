import type { Change } from '../../../events/change.ts';
import type { EventInput } from '../../../events/event-data.ts';
import type { OutputState, StreamState } from '../../../providers/media.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { lockOutputsOfRoom, type OutputRow, storeOutput } from './output-store.ts';

const idle = { state: 'idle', sinceMs: null, kbps: 0, lastError: null, lastErrorCode: null } as const;

/**
 * Stores the states that the media server reports for the outputs of a room, and emits events for failures and
 * recoveries.
 */
export async function storeOutputStates(
  change: Change,
  { roomId, state, outputs }: Pick<StreamState, 'roomId' | 'state' | 'outputs'>,
  customerId: string,
): Promise<void> {
  const reported = new Map(outputs.map((output) => [output.id, output]));
  for (const row of await lockOutputsOfRoom(change.tx, roomId)) {
    const reportedState = reported.get(row.id);
    const next =
      state === 'idle' || !reportedState
        ? { ...idle, bytesSent: reportedState?.bytesSent ?? row.bytes_sent }
        : reportedState;
    const event = await storeState(change, row, next, customerId);
    if (event) await change.emit(event);
  }
}

/** A failing output keeps its error until there is another one. */
function errorOf(before: OutputRow, { lastError, lastErrorCode }: Omit<OutputState, 'id'>, isFailing: boolean) {
  if (lastError === null && isFailing)
    return { last_error: before.last_error, last_error_code: before.last_error_code };
  return { last_error: lastError, last_error_code: lastErrorCode };
}

async function storeState(
  { tx, now }: Change,
  before: OutputRow,
  next: Omit<OutputState, 'id'>,
  customerId: string,
): Promise<EventInput | null> {
  const isFailing = next.state === 'failed' || next.state === 'reconnecting';
  const isWorking = next.state === 'live' || next.state === 'idle';
  const hasChanged = next.state !== before.state;
  const reportedAt = next.sinceMs === null ? now : instantOfMicroseconds(next.sinceMs * 1000);
  const after = await storeOutput(tx, before.id, {
    state: next.state,
    since: hasChanged ? (reportedAt < now ? reportedAt : now) : before.since,
    kbps: Math.min(next.kbps, 2_147_483_647),
    bytes_sent: next.bytesSent,
    ...errorOf(before, next, isFailing),
    failed_at: isFailing ? (before.failed_at ?? now) : isWorking ? null : before.failed_at,
    ...(hasChanged ? { updated_at: now } : {}),
  });
  const event = { resource: { type: 'Output', id: before.id }, customerId, before, after } as const;
  if (isFailing && before.failed_at === null) return { name: 'output.failed', ...event };
  return next.state === 'live' && before.failed_at !== null ? { name: 'output.recovered', ...event } : null;
}
