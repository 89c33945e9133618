import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { Uuid } from '../platform/identity/identifier.ts';
import type { Change } from './change.ts';
import { rowEvent } from './row-event.ts';

/** A part of a list in the order of ids. */
export interface Page {
  readonly after: Uuid | null;
  readonly limit: number;
}

const batchSize = 1000;

/** Emits the deletion of rows that are deleted with their parent, in batches, so that any number fits into memory. */
export async function emitDeletions(
  change: Change,
  name: EventName & `${string}.deleted`,
  list: (page: Page) => Promise<readonly { readonly id: Uuid; readonly customer_id: Uuid }[]>,
): Promise<void> {
  let lastId: Uuid | null = null;
  for (;;) {
    const rows = await list({ after: lastId, limit: batchSize });
    await change.emitAll(rows.map((before) => rowEvent(name, { before })));
    if (rows.length < batchSize) return;
    lastId = rows.at(-1)?.id ?? null;
  }
}
