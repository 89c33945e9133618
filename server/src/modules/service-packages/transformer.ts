import { ServicePackage } from '@foyer/contract/resources/packages/service-package.ts';
import { ServicePackageFeature } from '@foyer/contract/resources/packages/service-package-feature.ts';
import { ServicePackageProvider } from '@foyer/contract/resources/packages/service-package-provider.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import type { PackageFeatureRow, PrintedPackageProviderRow, ServicePackageRow } from './store.ts';

export const servicePackageView = defineView<typeof ServicePackage.fields, ServicePackageRow>({
  resource: ServicePackage,
  table: 'service_packages',
});

export const packageFeatureView = defineView<typeof ServicePackageFeature.fields, PackageFeatureRow>({
  resource: ServicePackageFeature,
  table: 'service_package_features',
});

export const packageProviderView = defineView<typeof ServicePackageProvider.fields, PrintedPackageProviderRow>({
  resource: ServicePackageProvider,
  table: 'service_package_providers',
  from: sql`service_package_providers join service_providers on service_providers.id = service_package_providers.service_provider_id`,
  select: sql`service_package_providers.*, service_providers.provider_name, service_providers.provider_type`,
  expressions: {
    default: sql.ref('service_package_providers.is_default'),
    service_provider_name: sql.ref('service_providers.provider_name'),
    service_provider_type: sql.ref('service_providers.provider_type'),
  },
  transform: printProviderRow,
});

/** A provider of a package or of a subscription. */
export function printProviderRow(
  row: Pick<PrintedPackageProviderRow, 'is_default' | 'provider_name' | 'provider_type'>,
) {
  return {
    default: row.is_default,
    service_provider_name: row.provider_name,
    service_provider_type: row.provider_type,
  };
}
