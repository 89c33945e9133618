import { ServicePackage } from '@foyer/contract/resources/packages/service-package.ts';
import { ServicePackageFeature } from '@foyer/contract/resources/packages/service-package-feature.ts';
import { ServicePackageProvider } from '@foyer/contract/resources/packages/service-package-provider.ts';
import { sql } from 'kysely';
import type { IntervalUnit } from '../../platform/time/calendar-date.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { listWhenEmpty } from '../../platform/row-members.ts';
import type { PackageFeatureRow, PrintedPackageProviderRow, ServicePackageRow } from './store.ts';

export const servicePackageView = defineView<
  typeof ServicePackage.fields,
  ServicePackageRow,
  ReturnType<typeof printTerms>
>({
  resource: ServicePackage,
  table: 'service_packages',
  shared: printTerms,
  transform: (row) => ({
    name: row.name,
    tag: row.tag,
    description: row.description,
    short_description: row.short_description,
    service_type: row.service_type,
    status: row.status,
    hidden: row.hidden,
    retired: row.retired,
    has_stock: row.has_stock,
    stock_qty: row.stock_qty,
    signup_fee: Number(row.signup_fee),
    auto_renew: row.auto_renew,
    trial_mode: row.trial_mode,
    tier: row.tier,
    sort_order: row.sort_order,
    package_settings: row.package_settings,
    package_metadata: row.package_metadata,
  }),
});

/** Price and billing terms, for packages and subscriptions. */
export function printTerms(row: {
  price: string;
  currency: string;
  periodicity: number;
  periodicity_type: IntervalUnit;
  trial_period: number;
  trial_interval: IntervalUnit;
  grace_period: number;
  grace_interval: IntervalUnit;
}) {
  return {
    price: Number(row.price),
    currency: row.currency,
    periodicity: row.periodicity,
    periodicity_type: row.periodicity_type,
    trial_period: row.trial_period,
    trial_interval: row.trial_interval,
    grace_period: row.grace_period,
    grace_interval: row.grace_interval,
  };
}

export const packageFeatureView = defineView<typeof ServicePackageFeature.fields, PackageFeatureRow>({
  resource: ServicePackageFeature,
  table: 'service_package_features',
  transform: (row) => ({
    package_id: printIdentifier('pkg', row.package_id),
    tag: row.tag,
    name: row.name,
    description: row.description,
    value: row.value,
    resettable_period: row.resettable_period,
    resettable_interval: row.resettable_interval,
    sort_order: row.sort_order,
  }),
});

export const packageProviderView = defineView<
  typeof ServicePackageProvider.fields,
  PrintedPackageProviderRow,
  ReturnType<typeof printProviderRow>
>({
  resource: ServicePackageProvider,
  table: 'service_package_providers',
  from: sql`service_package_providers join service_providers on service_providers.id = service_package_providers.service_provider_id`,
  select: sql`service_package_providers.*, service_providers.provider_name, service_providers.provider_type`,
  expressions: {
    default: sql.ref('service_package_providers.is_default'),
    service_provider_name: sql.ref('service_providers.provider_name'),
    service_provider_type: sql.ref('service_providers.provider_type'),
  },
  shared: printProviderRow,
  transform: () => ({}),
});

/** A provider of a package or of a subscription. */
export function printProviderRow(row: Omit<PrintedPackageProviderRow, 'id'>) {
  return {
    active: row.active,
    default: row.is_default,
    service_provider_id: printIdentifier('prov', row.service_provider_id),
    service_provider_name: row.provider_name,
    service_provider_type: row.provider_type,
    package_id: printIdentifier('pkg', row.package_id),
    settings: listWhenEmpty(row.settings),
    metadata: row.metadata,
  };
}
