import type { Client } from '@foyer/sdk';
import type { App } from '../../../server/src/app.ts';
import { inTransaction, system } from '../../../server/src/events/change.ts';
import type { Installation } from '../create-bench-app.ts';
import type { Child } from '../child.ts';

export interface EventsOptions {
  readonly installation: Installation;
  readonly admin: Client;
  readonly token: string;
  readonly rounds: number;
  readonly seconds: number;
  /** How many events to insert before the query plans of lists and streams are measured. */
  readonly stored: number;
  readonly receivers: Child;
  readonly startWorker: () => Promise<Child>;
}

/** The input of each measurement. */
export interface BenchContext extends EventsOptions {
  /** The application in this process. */
  readonly app: App;
  readonly rooms: readonly Room[];
}

export interface Room {
  readonly id: string;
  readonly customer_id: string;
}

/** Emits an event of each room, in one transaction. */
export async function emitUpdates({ dependencies }: App, rooms: readonly Room[]): Promise<void> {
  await inTransaction(dependencies, system, (change) =>
    change.emitAll(
      rooms.map(({ id, customer_id: customerId }) => ({
        name: 'room.updated',
        resource: { type: 'Room', id },
        customerId,
      })),
    ),
  );
}
