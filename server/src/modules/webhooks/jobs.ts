import type { Dependencies } from '../../dependencies.ts';
import type { Jobs } from '../../module.ts';
import { deleteDeliveriesBefore } from './delivery/delivery-store.ts';

const dayMs = 86_400_000;
const batchSize = 5000;

async function pruneDeliveries({ db, clock, settings }: Dependencies): Promise<number> {
  const before = new Date(clock.nowMs() - settings().event_retention_days * dayMs).toISOString();
  for (let removed = 0; ;) {
    const deleted = await deleteDeliveriesBefore(db, before, batchSize);
    removed += deleted;
    if (deleted < batchSize) return removed;
  }
}

export const webhookJobs: Jobs = {
  'prune-webhook-deliveries': {
    description: 'Removes deliveries of webhooks after `event_retention_days`.',
    schedule: '27 3 * * *',
    counted: 'deliveries removed',
    run: pruneDeliveries,
  },
};
