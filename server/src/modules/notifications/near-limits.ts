import { features, isCumulative } from '@foyer/contract/resources/packages/features.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, system } from '../../events/change.ts';
import { addNotifications, listNewNearLimits } from './store.ts';
import { inBatches } from '../../platform/in-batches.ts';

const nearPercent = 80;
const batchSize = 200;
const countedTags = features.filter(isCumulative).map(({ code }) => code);

/** Stores a notification for each usage that has passed 80% of its limit, once for each window of usage. */
export async function findNearLimits(dependencies: Dependencies): Promise<number> {
  return await inBatches(batchSize, () =>
    inTransaction(dependencies, system, async (change) => {
      const near = await listNewNearLimits(change.tx, {
        today: change.today,
        percent: nearPercent,
        tags: countedTags,
        limit: batchSize,
      });
      return await addNotifications(
        change,
        near.map(({ cause, customer_id: customerId, value, ...details }) => ({
          cause,
          kind: 'limit_near',
          customerId,
          details: { ...details, limit: Number(value) },
        })),
      );
    }),
  );
}
