import { type Change, inSavepoint } from '../../../events/change.ts';
import { calendarDate } from '../../../platform/time/calendar-date.ts';
import { Failure } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import {
  listPackageFeatures,
  requireServicePackage,
  type ServicePackageRow,
  listActiveProviders,
} from '../../service-packages/index.ts';
import { copyPackageFeatures } from '../features/copy-package-features.ts';
import { applyLimitsToChildren } from '../resale/allocations.ts';
import { sumAllocations, lockBranch, findUnlimitedChildren } from '../resale/allocation-store.ts';
import { lifecycleOf, columnsOf } from '../lifecycle/lifecycle-of-row.ts';
import { isDateFault, reviseDates } from '../lifecycle/revise-dates.ts';
import { hasEnded, isUsable } from '../lifecycle/lifecycle.ts';
import { moveProviders } from './move-providers.ts';
import { findScheduled, type PackageChangeRow } from './package-change-store.ts';
import { compareFeatures, describeExcess, type FeatureDifference } from './package-comparison.ts';
import { returnReservedStock, withdrawScheduledChange } from './withdraw-package-change.ts';
import { emitAboutPackageChange, updatePackageChange } from './write-package-change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { packageNotAvailable, type Sellable } from '../require-sellable.ts';
import { storeSubscription, type SubscriptionRow } from '../store.ts';
import { usageOf } from '../usage/usage-of-row.ts';
import { countResources, lockUsedFeatures } from '../usage/usage-store.ts';

/**
 * Applies the scheduled change if it is due and the subscription was usable on that day. An impossible change is
 * recorded as failed; the change of an ended subscription is withdrawn. The caller locks the subscription.
 * @param isAboutToRenew applies the change also if the subscription was not usable, because a renewal makes it usable
 * @returns the subscription after the change
 */
export async function applyDueChange(
  change: Change,
  row: SubscriptionRow,
  { isAboutToRenew = false }: { readonly isAboutToRenew?: boolean } = {},
): Promise<SubscriptionRow> {
  const scheduled = await findScheduled(change.tx, row.id);
  if (!scheduled || scheduled.to_package_id === null) return row;
  const state = lifecycleOf(row);
  const isDue = scheduled.effective_at <= change.today;
  const wasUsable = isDue && state.status === 'active' && isUsable(state, calendarDate(scheduled.effective_at));
  if (!wasUsable && hasEnded(state, change.today)) {
    await withdrawScheduledChange(change, row);
    return row;
  }
  if (!isDue || (!wasUsable && !isAboutToRenew)) return row;
  const outcome = await checkAndMove(change, row, scheduled.to_package_id);
  if ('refusal' in outcome) {
    await failChange(change, row, scheduled, outcome.refusal);
    return row;
  }
  await updatePackageChange(change, row, scheduled, {
    status: 'done',
    done_at: change.now,
    failure: null,
    holds_stock: false,
  });
  return outcome.changed;
}

type Outcome = { readonly changed: SubscriptionRow } | { readonly refusal: string };

/** Checks and applies the change. A refusal is returned, so that the caller can record it. */
async function checkAndMove(change: Change, row: SubscriptionRow, packageId: Uuid): Promise<Outcome> {
  const servicePackage = await requireServicePackage(change.tx, packageId);
  const target = { servicePackage, providers: await listActiveProviders(change.tx, packageId) };
  const refusal = await findRefusal(change, row, target);
  return refusal === null ? await tryMoveToPackage(change, row, target) : { refusal };
}

/** Applies the package in a savepoint; a refused change is rolled back. */
export async function tryMoveToPackage(change: Change, row: SubscriptionRow, target: Sellable): Promise<Outcome> {
  try {
    return { changed: await inSavepoint(change, () => moveToPackage(change, row, target)) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const sentences = Object.entries(error.details.errors ?? {}).map(([tag, [sentence = '']]) => `${tag}: ${sentence}`);
    return { refusal: sentences.length > 0 ? sentences.join(' ') : error.message };
  }
}

/** Copies terms, features and providers of the new package; the current period keeps its dates. */
export async function moveToPackage(
  change: Change,
  row: SubscriptionRow,
  { servicePackage: to, providers }: Sellable,
): Promise<SubscriptionRow> {
  const { tx, now, today } = change;
  const from = await requireServicePackage(tx, row.package_id);
  const state = reviseDates(
    lifecycleOf(row),
    {
      periodicity: to.periodicity,
      periodicityType: to.periodicity_type,
      gracePeriod: to.grace_period,
      graceInterval: to.grace_interval,
    },
    today,
  );
  if (isDateFault(state)) throw new Error(state.message);
  const updated = await storeSubscription(tx, row.id, {
    ...columnsOf(state),
    package_id: to.id,
    // Only a generated name follows the package.
    ...(row.name === `${from.name} - ${row.tag}` ? { name: `${to.name} - ${row.tag}` } : {}),
    price: to.price,
    currency: to.currency,
    tier: to.tier,
    periodicity: state.periodicity,
    periodicity_type: state.periodicityType,
    grace_period: state.gracePeriod,
    grace_interval: state.graceInterval,
    updated_at: now,
  });
  const features = await copyPackageFeatures(change, updated);
  await applyLimitsToChildren(change, updated);
  await moveProviders(change, row, providers);
  await change.emit(
    rowEvent('subscription.package_changed', {
      before: { ...row, features: features.before },
      after: { ...updated, features: features.after },
    }),
  );
  return updated;
}

/** Compares the features of the subscription, and its usage on the given day, with the package. */
export async function compareWithPackage(
  { tx }: Pick<Change, 'tx'>,
  row: SubscriptionRow,
  packageId: string,
  day: Change['today'],
): Promise<FeatureDifference[]> {
  await lockBranch(tx, row);
  const used = new Map(await countResources(tx, row.id));
  const current = await lockUsedFeatures(tx, row.id);
  for (const feature of current) used.set(feature.tag, usageOf(feature, day).used);
  const allocated = await sumAllocations(tx, row.id);
  return compareFeatures(
    new Map(current.map(({ tag, value }) => [tag, value])),
    await listPackageFeatures(tx, packageId),
    { used, allocated, unlimitedBelow: await findUnlimitedChildren(tx, row.id) },
  );
}

/** @throws 422 if the package is the current one, or has another service type or currency */
export function requireCompatiblePackage(row: SubscriptionRow, to: ServicePackageRow): void {
  const reason = mismatchReason(row, to);
  if (reason !== null) throw packageNotAvailable(reason);
}

/** How often the job tries a change that fails with an internal error. */
const maxAttempts = 5;

/** Records an internal error. The job tries again until `maxAttempts`. */
export async function recordFailedAttempt(change: Change, row: SubscriptionRow): Promise<void> {
  const scheduled = await findScheduled(change.tx, row.id);
  if (!scheduled) return;
  const attempts = scheduled.attempts + 1;
  const failure = `The change failed ${attempts} ${attempts === 1 ? 'time' : 'times'} with an internal error. The log has the details.`;
  if (attempts >= maxAttempts) return await failChange(change, row, scheduled, failure);
  await updatePackageChange(change, row, scheduled, { attempts, failure });
  await emitAboutPackageChange(change, 'failed', row, scheduled);
}

/** The 409 error with the figures of each exceeded limit; null if none is exceeded. */
export function exceededLimitsFailure(differences: readonly FeatureDifference[]): Failure | null {
  const errors = describeExcess(differences);
  const tags = Object.keys(errors);
  if (tags.length === 0) return null;
  const message = `The subscription uses more than the new package allows: ${tags.join(', ')}.`;
  return new Failure('package-limits-exceeded', message, { errors });
}

interface PackageTerms {
  readonly service_type: string;
  readonly currency: string;
}

function mismatchReason(
  row: PackageTerms & Pick<SubscriptionRow, 'package_id'>,
  to: PackageTerms & Pick<ServicePackageRow, 'id'>,
): string | null {
  if (to.id === row.package_id) return 'The subscription already has this package.';
  if (to.service_type !== row.service_type)
    return `The package is for ${to.service_type}, not for ${row.service_type}.`;
  if (to.currency !== row.currency)
    return `The package is sold in ${to.currency}, but the subscription is billed in ${row.currency}.`;
  return null;
}

async function findRefusal(
  change: Change,
  row: SubscriptionRow,
  { servicePackage, providers }: Sellable,
): Promise<string | null> {
  const reason = mismatchReason(row, servicePackage);
  if (reason !== null) return reason;
  if (providers.length === 0) return 'The service package has no active provider.';
  const excess = describeExcess(await compareWithPackage(change, row, servicePackage.id, change.today));
  const figures = Object.entries(excess).map(([tag, [sentence = '']]) => `${tag}: ${sentence}`);
  return figures.length === 0 ? null : figures.join(' ');
}

async function failChange(
  change: Change,
  row: SubscriptionRow,
  scheduled: PackageChangeRow,
  failure: string,
): Promise<void> {
  await updatePackageChange(change, row, scheduled, { status: 'failed', failure, holds_stock: false });
  await returnReservedStock(change, scheduled);
  await emitAboutPackageChange(change, 'failed', row, scheduled);
}
