import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { RoomRow } from '../rooms/index.ts';
import { requirePrintedStream } from './require-stream.ts';
import type { PrintedStreamRow } from './store.ts';

interface StreamEvent {
  readonly name: Extract<EventName, `stream.${string}`>;
  readonly before: PrintedStreamRow;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Emits the event with the current state of the stream. @returns that state */
export async function emitStreamEvent(
  change: Change,
  { customer_id: customerId }: Pick<RoomRow, 'customer_id'>,
  { name, before, details = {} }: StreamEvent,
): Promise<PrintedStreamRow> {
  const after = await requirePrintedStream(change.tx, before.room_id);
  await change.emit(rowEvent(name, { customerId, before, after, details }));
  return after;
}
