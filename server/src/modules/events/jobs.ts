import { inTransaction, system } from '../../events/change.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Jobs } from '../../module.ts';
import { forgetCustomersDeletedBefore } from '../customers/index.ts';
import { publishAll } from './publish-events.ts';
import { createPartition, deleteEventsBefore, dropPartition, listPartitionsBefore } from './store.ts';

const dayMs = 86_400_000;
const batchSize = 5000;

/** Creates the partitions of this and the next month, and removes events older than `event_retention_days`. */
async function pruneEvents(dependencies: Dependencies): Promise<number> {
  const { db, clock, settings } = dependencies;
  // Partitions follow the ids, which contain the time of the machine, not of `clock`.
  for (const ms of [0, 31 * dayMs])
    await db.transaction().execute((tx) => createPartition(tx, new Date(Date.now() + ms).toISOString()));
  const before = new Date(clock.nowMs() - settings().event_retention_days * dayMs).toISOString();
  await publishAll(dependencies);
  await forgetCustomersDeletedBefore(db, before);
  let removed = 0;
  for (const name of await listPartitionsBefore(db, before)) {
    await db.transaction().execute((tx) => dropPartition(tx, name));
    removed += 1;
  }
  for (;;) {
    const deleted = await inTransaction(dependencies, system, ({ tx }) => deleteEventsBefore(tx, before, batchSize));
    removed += deleted;
    if (deleted < batchSize) return removed;
  }
}

export const eventJobs: Jobs = {
  'prune-events': {
    description: 'Creates the table partitions for new events, and removes events after `event_retention_days`.',
    schedule: '17 3 * * *',
    counted: 'events and partitions removed',
    run: pruneEvents,
  },
};
