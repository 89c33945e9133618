import { newRow } from '../../../database/row-store.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction, dryRun } from '../../../events/change.ts';
import {
  addInterval,
  type CalendarDate,
  calendarDate,
  printCalendarDate,
} from '../../../platform/time/calendar-date.ts';
import { conflict } from '../../../platform/failures.ts';
import type { InputOf, CallOf } from '../../../platform/http/input/call.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { requireServicePackage, type ServicePackageRow, takeFromStock } from '../../service-packages/index.ts';
import { lifecycleOf } from '../lifecycle/lifecycle-of-row.ts';
import { allowedMoves } from '../lifecycle/lifecycle.ts';
import {
  compareWithPackage,
  exceededLimitsFailure,
  applyDueChange,
  tryMoveToPackage,
  moveToPackage,
  requireCompatiblePackage,
} from './apply-package-change.ts';
import { withdrawScheduledChange } from './withdraw-package-change.ts';
import { type PackageChangeRow, requirePackageChange } from './package-change-store.ts';
import { addPackageChange, emitAboutPackageChange } from './write-package-change.ts';
import { type ChangeTime, type Direction, directionOf, defaultTimeOf } from './package-comparison.ts';
import { endOfCurrentPeriod } from '../lifecycle/period.ts';
import { moveRefused } from '../lifecycle/move-refused.ts';
import { requireSellable, type Sellable } from '../require-sellable.ts';
import { lockSubscription, type SubscriptionRow } from '../store.ts';

type Input = InputOf<'changePackage'>;

/**
 * Moves the subscription to another package now, or schedules the move. Withdraws a change that was scheduled before.
 * @throws 422 if the package is not for sale; 409 if the subscription is not usable today, or uses more than the new
 * package allows
 */
export async function changePackage(
  dependencies: Dependencies,
  { actor, params: { subscription_id: id }, body: input }: CallOf<'changePackage'>,
): Promise<SubscriptionRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const { row, plan } = await prepareChange(change, id, input);
    const { servicePackage } = plan.target;
    if (servicePackage.has_stock) await takeFromStock(change.tx, servicePackage.id, change.now);
    if (plan.when === 'period_end') {
      const scheduled = await storeChange(change, row, plan, 'scheduled');
      await emitAboutPackageChange(change, 'scheduled', row, scheduled);
      return row;
    }
    const excess = exceededLimitsFailure(await compareWithPackage(change, row, servicePackage.id, change.today));
    if (excess) throw excess;
    const changed = await moveToPackage(change, row, plan.target);
    await storeChange(change, row, plan, 'done');
    return changed;
  });
}

/** A dry run of the change. @throws as `changePackage`, except for exceeded limits, which it returns */
export async function previewPackageChange(
  dependencies: Dependencies,
  { actor, params: { subscription_id: id }, body: input }: CallOf<'previewPackageChange'>,
): Promise<Record<string, unknown>> {
  return await dryRun(dependencies, actor, async (change) => {
    const { row, plan } = await prepareChange(change, id, input);
    const { target, direction, when, effectiveOn } = plan;
    const from = await requireServicePackage(change.tx, row.package_id);
    const features = await compareWithPackage(change, row, target.servicePackage.id, effectiveOn);
    const excess = exceededLimitsFailure(features);
    const refusal = excess?.message ?? (await findMoveRefusal(change, row, target));
    return {
      object: 'PackageChangePreview',
      subscription_id: printIdentifier('sub', row.id),
      direction,
      when,
      effective_at: printCalendarDate(effectiveOn),
      allowed: refusal === null,
      refusal,
      // The terms of the subscription, which can differ from the package's current terms.
      from: printPackage(from, row),
      to: printPackage(target.servicePackage, target.servicePackage),
      starts_at: printCalendarDate(calendarDate(row.starts_at)),
      ends_at: printCalendarDate(calendarDate(row.ends_at)),
      trial_ends_at: row.trial_ends_at === null ? null : printCalendarDate(calendarDate(row.trial_ends_at)),
      features: features.map(({ tag, from: currentValue, to, used, allocated, unlimitedBelow, isExceeded }) => ({
        tag,
        from: currentValue,
        to,
        used,
        handed_down: allocated,
        unlimited_below: [...unlimitedBelow],
        over: isExceeded,
      })),
    };
  });
}

async function findMoveRefusal(change: Change, row: SubscriptionRow, target: Sellable): Promise<string | null> {
  const outcome = await tryMoveToPackage(change, row, target);
  return 'refusal' in outcome ? outcome.refusal : null;
}

/** @throws 409 if the change is not scheduled */
export async function withdrawPackageChange(
  dependencies: Dependencies,
  { actor, params: { subscription_id: subscriptionId, package_change_id: id } }: CallOf<'withdrawPackageChange'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockSubscription(change.tx, subscriptionId);
    const packageChange = await requirePackageChange(change.tx, subscriptionId, id);
    if (packageChange.status !== 'scheduled') {
      throw conflict(
        'package-change-not-scheduled',
        `Only a scheduled change can be withdrawn. This one is ${packageChange.status}.`,
      );
    }
    await withdrawScheduledChange(change, row);
  });
}

interface Plan {
  readonly target: Sellable;
  readonly direction: Direction;
  readonly when: ChangeTime;
  readonly effectiveOn: CalendarDate;
}

/** Locks the subscription, applies or withdraws an earlier scheduled change, and plans the new one. */
async function prepareChange(change: Change, id: Uuid, input: Input): Promise<{ row: SubscriptionRow; plan: Plan }> {
  const row = await applyDueChange(change, await lockSubscription(change.tx, id));
  refuseUnlessMovable(row, change.today);
  // Before planning, because it returns reserved stock that the new change can need.
  await withdrawScheduledChange(change, row);
  return { row, plan: await planChange(change, row, input) };
}

async function planChange(
  { tx, today }: Pick<Change, 'tx' | 'today'>,
  row: SubscriptionRow,
  input: Input,
): Promise<Plan> {
  const target = await requireSellable(tx, input.package_id);
  requireCompatiblePackage(row, target.servicePackage);
  const direction = directionOf(row.tier, target.servicePackage.tier);
  const when = input.when ?? defaultTimeOf(direction);
  return { target, direction, when, effectiveOn: when === 'now' ? today : dayAfterPeriod(row, today) };
}

/** The day after the current period; today if the period has already ended, as in grace. */
function dayAfterPeriod(row: SubscriptionRow, today: CalendarDate): CalendarDate {
  const next = addInterval(endOfCurrentPeriod(lifecycleOf(row), today), { count: 1, unit: 'day' });
  return next > today ? next : today;
}

/** @throws 409 */
function refuseUnlessMovable(row: SubscriptionRow, today: CalendarDate): void {
  const state = lifecycleOf(row);
  const allowed = allowedMoves(state, today);
  if (allowed.includes('change-package')) return;
  throw moveRefused(
    'package-change-not-allowed',
    state.isResold
      ? 'A subscription sold by a reseller cannot change its package.'
      : 'Only an active subscription that is usable today can change its package.',
    allowed,
  );
}

async function storeChange(
  change: Change,
  row: SubscriptionRow,
  { target, direction, effectiveOn }: Plan,
  status: 'scheduled' | 'done',
): Promise<PackageChangeRow> {
  const { now } = change;
  return await addPackageChange(change, row, {
    ...newRow(now),
    subscription_id: row.id,
    from_package_id: row.package_id,
    to_package_id: target.servicePackage.id,
    direction,
    status,
    effective_at: effectiveOn,
    done_at: status === 'done' ? now : null,
    holds_stock: status === 'scheduled' && target.servicePackage.has_stock,
  });
}

type PackageTerms = Pick<
  ServicePackageRow,
  'tier' | 'price' | 'currency' | 'periodicity' | 'periodicity_type' | 'grace_period' | 'grace_interval'
>;

function printPackage(servicePackage: ServicePackageRow, terms: PackageTerms): Record<string, unknown> {
  return {
    package_id: printIdentifier('pkg', servicePackage.id),
    name: servicePackage.name,
    tier: terms.tier,
    price: Number(terms.price),
    currency: terms.currency,
    periodicity: terms.periodicity,
    periodicity_type: terms.periodicity_type,
    grace_period: terms.grace_period,
    grace_interval: terms.grace_interval,
  };
}
