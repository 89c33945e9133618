import { newRow } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { refuseChanged } from '../../platform/immutable.ts';
import { readFeature, readFeatureChanges } from '../features/index.ts';
import {
  insertPackageFeature,
  lockServicePackage,
  type PackageFeatureRow,
  removePackageFeature,
  requirePackageFeature,
  storePackageFeature,
} from './store.ts';

export async function addPackageFeature(
  dependencies: Dependencies,
  { actor, params, body: input }: Pick<CallOf<'createServicePackageFeature'>, 'actor' | 'params' | 'body'>,
): Promise<PackageFeatureRow> {
  const { service_package_id: packageId } = params;
  const codeField =
    input.tag === undefined && input.service_feature_code !== undefined ? 'service_feature_code' : 'tag';
  const feature = readFeature(input, codeField);
  return await inTransaction(dependencies, actor, async (change) => {
    await lockServicePackage(change.tx, packageId);
    const row = await insertPackageFeature(change.tx, {
      ...newRow(change.now),
      package_id: packageId,
      ...feature,
    });
    if (!row) throw invalidInput({ [codeField]: ['The package already has this feature.'] });
    await change.emit(rowEvent('service_package_feature.created', { after: row }));
    return row;
  });
}

export async function updatePackageFeature(
  dependencies: Dependencies,
  { actor, params, body: input, immutable }: CallOf<'updateServicePackageFeature'>,
): Promise<PackageFeatureRow> {
  const { service_package_id: packageId, feature_id: id } = params;
  return await inTransaction(dependencies, actor, async (change) => {
    await lockServicePackage(change.tx, packageId);
    const row = await requirePackageFeature(change.tx, packageId, id);
    refuseChanged(immutable, { ...row });
    const updated = await storePackageFeature(change.tx, id, {
      ...readFeatureChanges(row, input),
      updated_at: change.now,
    });
    await change.emit(rowEvent('service_package_feature.updated', { before: row, after: updated }));
    return updated;
  });
}

export async function deletePackageFeature(
  dependencies: Dependencies,
  { actor, params: { service_package_id: packageId, feature_id: id } }: CallOf<'deleteServicePackageFeature'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    await lockServicePackage(change.tx, packageId);
    const row = await requirePackageFeature(change.tx, packageId, id);
    await removePackageFeature(change.tx, id);
    await change.emit(rowEvent('service_package_feature.deleted', { before: row }));
  });
}
