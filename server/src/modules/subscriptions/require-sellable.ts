import type { Tx } from '../../events/change.ts';
import { Failure, invalidInput } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import {
  lockServicePackage,
  type PackageProviderRow,
  type ServicePackageRow,
  listActiveProviders,
} from '../service-packages/index.ts';

export interface Sellable {
  readonly servicePackage: ServicePackageRow;
  /** At least one; the default first. */
  readonly providers: readonly PackageProviderRow[];
}

/**
 * A package that is for sale now, locked, so that its stock stays what it is. Hidden ones are sold, too: they are only
 * not offered.
 * @throws 422 that names `package_id`
 */
export async function requireSellable(tx: Tx, packageId: Uuid): Promise<Sellable> {
  const servicePackage = await lockServicePackage(tx, packageId);
  if (!servicePackage) throw invalidInput({ package_id: ['The selected package id is invalid.'] });
  const providers = await listActiveProviders(tx, packageId);
  const reason = unsellableReason(servicePackage, providers);
  if (reason !== null) throw packageNotAvailable(reason);
  return { servicePackage, providers };
}

/** A package with a provider to work with, whether or not it is for sale. @throws 422 that names `package_id` */
export async function requireActiveProvider(tx: Tx, packageId: Uuid): Promise<Sellable> {
  const servicePackage = await lockServicePackage(tx, packageId);
  if (!servicePackage) throw invalidInput({ package_id: ['The selected package id is invalid.'] });
  const providers = await listActiveProviders(tx, packageId);
  if (providers.length === 0) throw packageNotAvailable(noProvider);
  return { servicePackage, providers };
}

const noProvider = 'The service package has no provider that is active.';

export function packageNotAvailable(reason: string): Failure {
  return new Failure('package-not-available', reason, { errors: { package_id: [reason] } });
}

function unsellableReason(servicePackage: ServicePackageRow, providers: readonly PackageProviderRow[]): string | null {
  if (servicePackage.status !== 'active') return 'The service package is not active.';
  if (servicePackage.retired) return 'The service package is retired.';
  if (providers.length === 0) return noProvider;
  if (servicePackage.has_stock && (servicePackage.stock_qty ?? 0) < 1) return 'The service package is out of stock.';
  return null;
}
