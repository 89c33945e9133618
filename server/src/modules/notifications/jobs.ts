import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, system } from '../../events/change.ts';
import type { Jobs } from '../../module.ts';
import { composeNotifications } from './compose-notifications.ts';
import { deviceDays, removeDevicesBefore } from './known-devices.ts';
import { findNearLimits } from './near-limits.ts';
import { removeHandledBefore } from './store.ts';
import { inBatches } from '../../platform/in-batches.ts';

const dayMs = 86_400_000;
/** Longer than a year: during a yearly window of usage, its cause must not be mailed again. */
const retentionDays = 400;
const batchSize = 5000;

async function pruneNotifications(dependencies: Dependencies): Promise<number> {
  const { clock } = dependencies;
  const daysAgo = (days: number) => new Date(clock.nowMs() - days * dayMs).toISOString();
  const removeAll = (remove: (change: Change) => Promise<number>) =>
    inBatches(batchSize, () => inTransaction(dependencies, system, remove));
  const handled = await removeAll(({ tx }) => removeHandledBefore(tx, daysAgo(retentionDays), batchSize));
  return handled + (await removeAll(({ tx }) => removeDevicesBefore(tx, daysAgo(deviceDays), batchSize)));
}

export const notificationJobs: Jobs = {
  'compose-notifications': {
    description: 'Composes the mails about events and invitations to rooms.',
    schedule: '* * * * *',
    counted: 'mails composed',
    run: composeNotifications,
    wakeOn: { cacheKey: 'notifications' },
  },
  'find-near-limits': {
    description: 'Finds usage that has passed 80% of a limit.',
    schedule: '*/5 * * * *',
    counted: 'usages found',
    run: findNearLimits,
  },
  'prune-notifications': {
    description: 'Removes notifications after 400 days, and devices a year after their last sign-in.',
    schedule: '41 3 * * *',
    counted: 'notifications and devices removed',
    run: pruneNotifications,
  },
};
