import type { Dependencies } from '../../../dependencies.ts';
import { type Change, dryRun } from '../../../events/change.ts';
import { calendarDate, printCalendarDate } from '../../../platform/time/calendar-date.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { InputOf, CallOf } from '../../../platform/http/input/call.ts';
import { printIdentifier } from '../../../platform/identity/identifier.ts';
import { idOrNull } from '../../../platform/row-members.ts';
import { requireServicePackage } from '../../service-packages/index.ts';
import { cancelSubscription, renewSubscription } from './change-subscription.ts';
import { findScheduled, type PackageChangeRow, requirePackageChange } from '../package-change/package-change-store.ts';
import type { SubscriptionRow } from '../store.ts';

type Input = InputOf<'previewSubscription'>;

export interface SubscriptionPreview {
  readonly row: SubscriptionRow;
  readonly figures: Record<string, unknown>;
}

/** A dry run of a renewal or cancellation. @throws 422 if the input asks for both or neither; 409 as these operations do */
export async function previewSubscription(
  dependencies: Dependencies,
  { actor, params: { subscription_id: id }, body: input }: CallOf<'previewSubscription'>,
): Promise<SubscriptionPreview> {
  const operation = operationOf(input);
  return await dryRun(dependencies, actor, async (change) => {
    const scheduled = await findScheduled(change.tx, id);
    const row =
      operation === 'renew'
        ? await renewSubscription(change, id, { ...input, renew: input.renew ?? true })
        : await cancelSubscription(change, id, { ...input, cancel: input.cancel ?? true });
    const packageChange = scheduled ? await requirePackageChange(change.tx, id, scheduled.id) : null;
    const cycles = operation === 'renew' && input.renew !== false ? (input.cycles ?? 1) : 0;
    return { row, figures: await figuresOf(change, row, packageChange, cycles) };
  });
}

/** Added periods use the terms of a package change that is still scheduled. */
async function figuresOf(
  { tx }: Change,
  row: SubscriptionRow,
  packageChange: PackageChangeRow | null,
  cycles: number,
): Promise<Record<string, unknown>> {
  const isStillScheduled =
    packageChange !== null && packageChange.status === 'scheduled' && packageChange.to_package_id !== null;
  const terms =
    isStillScheduled && cycles > 0 ? await requireServicePackage(tx, packageChange.to_package_id ?? '') : row;
  const hasSamePeriodicity = terms.periodicity === row.periodicity && terms.periodicity_type === row.periodicity_type;
  return {
    cycles,
    package_id: printIdentifier('pkg', 'package_id' in terms ? terms.package_id : terms.id),
    price: Number(terms.price),
    currency: terms.currency,
    periodicity: terms.periodicity,
    periodicity_type: terms.periodicity_type,
    amount: hasSamePeriodicity ? Number((Number(terms.price) * cycles).toFixed(4)) : null,
    package_change: packageChange && {
      id: printIdentifier('subchange', packageChange.id),
      to_package_id: idOrNull('pkg', packageChange.to_package_id),
      effective_at: printCalendarDate(calendarDate(packageChange.effective_at)),
      status: packageChange.status,
    },
  };
}

function operationOf(input: Input): 'renew' | 'cancel' {
  const renews = input.renew !== undefined || input.cycles !== undefined || input.uncancel !== undefined;
  const cancels = input.cancel !== undefined || input.cancel_now !== undefined;
  if (renews && cancels)
    throw invalidInput({ cancel: ['Send the fields of a renewal or those of a cancellation, not both.'] });
  if (!renews && !cancels) throw invalidInput({ renew: ['The renew field is required when cancel is not given.'] });
  return renews ? 'renew' : 'cancel';
}
