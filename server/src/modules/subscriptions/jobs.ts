import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, system } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import { renewAutomatically } from './lifecycle/change-subscription.ts';
import { lockExpired, lockNextDueForRenewal, markExpiring, suspendAll } from './lifecycle/due-store.ts';
import { lifecycleOf } from './lifecycle/lifecycle-of-row.ts';
import { expire } from './lifecycle/lifecycle.ts';
import { expiredEvent } from './lifecycle/expired-event.ts';
import { withdrawScheduledChanges } from './package-change/withdraw-package-change.ts';
import { applyDueChange, recordFailedAttempt } from './package-change/apply-package-change.ts';
import { lockNextDueChange } from './package-change/package-change-store.ts';
import { findOutdatedWindows } from './usage/quotas.ts';
import { lockSubscription } from './store.ts';
import { lockEndedWindows, storeWindows } from './usage/usage-store.ts';

import { reconcileUsage } from './usage/reconcile-usage.ts';
import { inBatches } from '../../platform/in-batches.ts';

const batchSize = 500;

/** Suspends expired subscriptions in batches; several nodes can run it at once. @returns the number suspended. */
async function expireSubscriptions(dependencies: Dependencies): Promise<number> {
  return await inBatches(batchSize, () =>
    inTransaction(dependencies, system, async (change) => {
      const { tx, now, today, emitAll } = change;
      const due = (await lockExpired(tx, today, batchSize)).filter((row) => {
        const state = lifecycleOf(row);
        return expire(state, today) !== state;
      });
      const suspended = await suspendAll(tx, idsOf(due), now);
      await emitAll(due.map((row) => expiredEvent(row, suspended.get(row.id) ?? null)));
      await withdrawScheduledChanges(change, due);
      return due.length;
    }),
  );
}

/** The id of a due row, and whether it was handled without an error. */
interface DueResult {
  readonly id: Uuid;
  readonly isDone: boolean;
}

/**
 * Handles each due row in a transaction of its own, so that one failure does not block the others.
 * @param next handles the next row by id; null if none is left
 * @returns how many were handled without an error
 */
async function handleEachDue(next: (after: Uuid | null) => Promise<DueResult | null>): Promise<number> {
  let lastId: Uuid | null = null;
  for (let total = 0; ;) {
    const due: DueResult | null = await next(lastId);
    if (due === null) return total;
    lastId = due.id;
    if (due.isDone) total += 1;
  }
}

async function renewNext(dependencies: Dependencies, after: Uuid | null): Promise<DueResult | null> {
  const attempt: { id: Uuid | null } = { id: null };
  try {
    return await inTransaction(dependencies, system, async (change) => {
      const row = await lockNextDueForRenewal(change.tx, change.today, after);
      if (!row) return null;
      attempt.id = row.id;
      return { id: row.id, isDone: (await renewAutomatically(change, row)) !== null };
    });
  } catch (error) {
    if (attempt.id === null) throw error;
    dependencies.logger.error({ err: error, subscription: attempt.id }, 'automatic renewal failed');
    return { id: attempt.id, isDone: false };
  }
}

/** Emits an event for subscriptions that end in 14, 3 or 1 days, also if the job did not run on that day. */
async function announceExpiry(dependencies: Dependencies): Promise<number> {
  return await inBatches(batchSize, () =>
    inTransaction(dependencies, system, async ({ tx, today, emitAll }) => {
      const expiring = await markExpiring(tx, today, batchSize);
      await emitAll(
        expiring.map((row) =>
          rowEvent('subscription.expiring', {
            before: row,
            after: row,
            details: { days_left: row.days_left },
          }),
        ),
      );
      return expiring.length;
    }),
  );
}

/** Applies or withdraws the next package change. Several nodes can run it at once. */
async function applyNextChange(dependencies: Dependencies, after: Uuid | null): Promise<DueResult | null> {
  const attempt: { due: Awaited<ReturnType<typeof lockNextDueChange>> } = { due: undefined };
  try {
    return await inTransaction(dependencies, system, async (change) => {
      attempt.due = await lockNextDueChange(change.tx, change.today, after);
      if (!attempt.due) return null;
      await applyDueChange(change, await lockSubscription(change.tx, attempt.due.subscription_id));
      return { id: attempt.due.id, isDone: true };
    });
  } catch (error) {
    const { due } = attempt;
    if (!due) throw error;
    dependencies.logger.error({ err: error, subscription: due.subscription_id }, 'package change failed');
    await inTransaction(dependencies, system, async (change) => {
      await recordFailedAttempt(change, await lockSubscription(change.tx, due.subscription_id));
    });
    return { id: due.id, isDone: false };
  }
}

/** Replaces usage windows that have ended by the current window. */
async function resetUsage(dependencies: Dependencies): Promise<number> {
  return await inBatches(batchSize, () =>
    inTransaction(dependencies, system, async ({ tx, now, today }) => {
      const ended = await lockEndedWindows(tx, today, batchSize);
      await storeWindows(tx, findOutdatedWindows(ended, today), now);
      return ended.length;
    }),
  );
}

export const subscriptionJobs: Jobs = {
  'change-packages': {
    description: 'Applies scheduled package changes when they are due.',
    schedule: '* * * * *',
    counted: 'package changes completed or failed',
    run: (dependencies) => handleEachDue((after) => applyNextChange(dependencies, after)),
  },
  'renew-subscriptions': {
    description: 'Renews subscriptions with `auto_renew` whose period has ended.',
    schedule: '* * * * *',
    counted: 'subscriptions renewed',
    run: (dependencies) => handleEachDue((after) => renewNext(dependencies, after)),
  },
  'announce-expiry': {
    description: 'Emits an event for subscriptions that end in 14, 3 or 1 days.',
    schedule: '*/10 * * * *',
    counted: 'subscriptions that end soon',
    run: announceExpiry,
  },
  'expire-subscriptions': {
    description: 'Suspends subscriptions whose last day has passed.',
    schedule: '* * * * *',
    counted: 'subscriptions suspended',
    run: expireSubscriptions,
  },
  'reset-usage': {
    description: 'Starts the next usage window of features whose window has ended.',
    schedule: '*/5 * * * *',
    counted: 'windows started',
    run: resetUsage,
  },
  'reconcile-usage': {
    description: 'Counts accounts, rooms and recordings again, and corrects the stored usage.',
    schedule: '17 * * * *',
    counted: 'usages corrected',
    run: reconcileUsage,
  },
};
