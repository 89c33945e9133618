import type { Tx } from '../../events/change.ts';
import { Failure, invalidInput } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import {
  findServicePackageForUpdate,
  type PackageProviderRow,
  type ServicePackageRow,
  listActiveProviders,
} from '../service-packages/index.ts';

export interface Sellable {
  readonly servicePackage: ServicePackageRow;
  /** At least one; the default first. */
  readonly providers: readonly PackageProviderRow[];
}

/** Locks a package that is for sale. Hidden packages can be sold. @throws 422 naming `package_id` */
export async function requireSellable(tx: Tx, packageId: Uuid): Promise<Sellable> {
  const sellable = await requireActiveProvider(tx, packageId);
  const reason = unsellableReason(sellable.servicePackage);
  if (reason !== null) throw packageNotAvailable(reason);
  return sellable;
}

/** Locks a package that has an active provider, whether or not it is for sale. @throws 422 naming `package_id` */
export async function requireActiveProvider(tx: Tx, packageId: Uuid): Promise<Sellable> {
  const servicePackage = await findServicePackageForUpdate(tx, packageId);
  if (!servicePackage) throw invalidInput({ package_id: ['The selected package id is invalid.'] });
  const providers = await listActiveProviders(tx, packageId);
  if (providers.length === 0) throw packageNotAvailable('The service package has no active provider.');
  return { servicePackage, providers };
}

export function packageNotAvailable(reason: string): Failure {
  return new Failure('package-not-available', reason, { errors: { package_id: [reason] } });
}

function unsellableReason(servicePackage: ServicePackageRow): string | null {
  if (servicePackage.status !== 'active') return 'The service package is not active.';
  if (servicePackage.retired) return 'The service package is retired.';
  if (servicePackage.has_stock && (servicePackage.stock_qty ?? 0) < 1) return 'The service package is out of stock.';
  return null;
}
