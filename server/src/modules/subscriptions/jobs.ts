import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { change, system } from '../../events/change.ts';
import { lifecycleOf, rowOf } from './lifecycle-of-row.ts';
import { expire } from './lifecycle.ts';
import { recordOn } from './record-on.ts';
import { lockDue, passedWindows, rollWindow, storeSubscription } from './store.ts';
import { usageOf } from './usage-of-row.ts';

const batch = 200;

/** Suspends what has expired, in bounded batches; several nodes share the work. @returns how many were suspended. */
export async function expireSubscriptions(dependencies: Dependencies): Promise<number> {
  return await inBatches(() =>
    change(dependencies, system, async (under) => {
      const due = await lockDue(under.tx, under.today, batch);
      for (const row of due) {
        const before = lifecycleOf(row);
        const after = expire(before, under.today);
        if (after === before) continue;
        const updated = await storeSubscription(under.tx, row.id, { ...rowOf(after), updated_at: under.now });
        await recordOn(under, 'subscription.suspended', updated, row, updated);
      }
      return due.length;
    }),
  );
}

/** Rolls usage windows that have passed on to the one of today, however long nobody looked. */
export async function resetUsage(dependencies: Dependencies): Promise<number> {
  return await inBatches(() =>
    change(dependencies, system, async ({ tx, now, today }) => {
      const passed = await passedWindows(tx, today, batch);
      for (const row of passed) {
        if (row.valid_until !== null)
          await rollWindow(tx, row.usage_id, row.valid_until, usageOf(row, today).validUntil, now);
      }
      return passed.length;
    }),
  );
}

interface Drift {
  readonly id: string;
  readonly subscriber_id: string;
  readonly tag: string;
  readonly recorded: number;
  readonly counted: number;
}

/** Counts accounts and rooms again, puts usage right where it drifted, and reports each drift as an event. */
export async function reconcileUsage(dependencies: Dependencies): Promise<number> {
  return await change(dependencies, system, async (under) => {
    const { rows } = await sql<Drift>`
      with counted as (
        select feature.subscription_id as id, usage.id as usage_id, feature.tag, usage.used as recorded,
          case feature.tag
            when 'max_accounts' then (select count(*) from accounts where subscription_id = feature.subscription_id)
            else (select count(*) from rooms where subscription_id = feature.subscription_id)
          end as counted
        from subscription_features feature
        join subscription_usages usage on usage.subscription_feature_id = feature.id
        where feature.tag in ('max_accounts', 'max_rooms')
        for update of usage
      )
      update subscription_usages usage set used = counted.counted, updated_at = ${under.now}
      from counted join subscriptions on subscriptions.id = counted.id
      where usage.id = counted.usage_id and counted.recorded <> counted.counted
      returning counted.id, subscriptions.subscriber_id, counted.tag, counted.recorded, counted.counted
    `.execute(under.tx);
    for (const drift of rows) {
      await under.emit({
        name: 'subscription.usage_reconciled',
        resource: { type: 'ServicePackageSubscription', id: drift.id },
        customerId: drift.subscriber_id,
        before: { [drift.tag]: drift.recorded },
        after: { [drift.tag]: drift.counted },
      });
    }
    return rows.length;
  });
}

/** Until a batch comes back short. */
async function inBatches(run: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await run();
    total += done;
    if (done < batch) return total;
  }
}
