import { newRow } from '../../database/row-store.ts';
import slugify from '@sindresorhus/slugify';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor, InputOf } from '../../platform/http/input/call.ts';
import { moneyFaults } from '../../platform/text/money.ts';
import { randomCode } from '../../platform/crypto/opaque-token.ts';
import { insertServicePackage, type ServicePackageRow } from './store.ts';

type Input = InputOf<'createServicePackage'>;

/** @throws 422 naming every invalid field. */
export async function createServicePackage(
  dependencies: Dependencies,
  actor: Actor,
  input: Input,
): Promise<ServicePackageRow> {
  const faults = {
    ...stockFaults(input.has_stock ?? false, input.stock_qty ?? null),
    ...moneyFaults(input, {}, input.currency ?? defaultCurrency),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await insertServicePackage(tx, {
      ...newRow(now),
      name: input.name,
      tag: input.tag ?? `${slugify(input.name).slice(0, 100) || 'package'}-${randomCode(6)}`,
      description: input.description ?? null,
      short_description: input.short_description ?? null,
      service_type: input.service_type ?? 'meet',
      status: input.status ?? 'active',
      hidden: input.hidden ?? false,
      retired: input.retired ?? false,
      has_stock: input.has_stock ?? false,
      stock_qty: input.stock_qty ?? null,
      price: input.price ?? 0,
      signup_fee: input.signup_fee ?? 0,
      currency: input.currency ?? defaultCurrency,
      tier: input.tier ?? null,
      sort_order: input.sort_order ?? null,
      periodicity: input.periodicity ?? 1,
      periodicity_type: input.periodicity_type ?? 'month',
      trial_period: input.trial_period ?? 0,
      trial_interval: input.trial_interval ?? 'day',
      auto_renew: input.auto_renew ?? false,
      trial_mode: input.trial_mode ?? 'outside',
      grace_period: input.grace_period ?? 0,
      grace_interval: input.grace_interval ?? 'day',
      package_settings: JSON.stringify(input.package_settings ?? {}),
      package_metadata: JSON.stringify(input.package_metadata ?? {}),
    });
    await emit(rowEvent('service_package.created', { after: row }));
    return row;
  });
}

const defaultCurrency = 'USD';

export function stockFaults(hasStock: boolean, quantity: number | null): FieldFaults {
  if (!hasStock || quantity !== null) return {};
  return { stock_qty: ['The stock qty field is required when has stock is true.'] };
}
