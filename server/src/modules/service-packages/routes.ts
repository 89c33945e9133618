import { servicePackageEndpoints as endpoints } from '@foyer/contract/resources/service-package.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { noContent, type Route, route, row, rows } from '../../platform/http/input/call.ts';
import { createServicePackage } from './create-service-package.ts';
import { deleteServicePackage } from './delete-service-package.ts';
import { addPackageFeature, deletePackageFeature, updatePackageFeature } from './package-features.ts';
import { addPackageProvider, removePackageProvider, updatePackageProvider } from './package-providers.ts';
import { requirePackageFeature, requirePackageProvider, requireServicePackage } from './store.ts';
import { packageFeatureView, packageProviderView, servicePackageView } from './transformer.ts';
import { updateServicePackage } from './update-service-package.ts';

export function servicePackageRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listServicePackages, () => rows(servicePackageView)),
    route(endpoints.createServicePackage, async ({ actor, body }) =>
      row(servicePackageView, await createServicePackage(dependencies, actor, body)),
    ),
    route(endpoints.readServicePackage, async ({ params }) =>
      row(servicePackageView, await requireServicePackage(db, params.service_package_id)),
    ),
    route(endpoints.updateServicePackage, async ({ actor, params, body, immutable }) =>
      row(
        servicePackageView,
        await updateServicePackage(dependencies, actor, params.service_package_id, body, immutable),
      ),
    ),
    route(endpoints.deleteServicePackage, async ({ actor, params }) => {
      await deleteServicePackage(dependencies, actor, params.service_package_id);
      return noContent;
    }),
    route(endpoints.listServicePackageFeatures, async ({ params }) => {
      await requireServicePackage(db, params.service_package_id);
      return rows(packageFeatureView, sql`service_package_features.package_id = ${params.service_package_id}`);
    }),
    route(endpoints.createServicePackageFeature, async ({ actor, params, body }) =>
      row(packageFeatureView, await addPackageFeature(dependencies, actor, params.service_package_id, body)),
    ),
    route(endpoints.readServicePackageFeature, async ({ params }) =>
      row(packageFeatureView, await requirePackageFeature(db, params.service_package_id, params.feature_id)),
    ),
    route(endpoints.updateServicePackageFeature, async ({ actor, params, body, immutable }) =>
      row(
        packageFeatureView,
        await updatePackageFeature(dependencies, actor, params.service_package_id, params.feature_id, body, immutable),
      ),
    ),
    route(endpoints.deleteServicePackageFeature, async ({ actor, params }) => {
      await deletePackageFeature(dependencies, actor, params.service_package_id, params.feature_id);
      return noContent;
    }),
    route(endpoints.listServicePackageProviders, async ({ params }) => {
      await requireServicePackage(db, params.service_package_id);
      return rows(packageProviderView, sql`service_package_providers.package_id = ${params.service_package_id}`);
    }),
    route(endpoints.createServicePackageProvider, async ({ actor, params, body }) =>
      row(packageProviderView, await addPackageProvider(dependencies, actor, params.service_package_id, body)),
    ),
    route(endpoints.readServicePackageProvider, async ({ params }) =>
      row(packageProviderView, await requirePackageProvider(db, params.service_package_id, params.provider_id)),
    ),
    route(endpoints.updateServicePackageProvider, async ({ actor, params, body, immutable }) =>
      row(
        packageProviderView,
        await updatePackageProvider(
          dependencies,
          actor,
          params.service_package_id,
          params.provider_id,
          body,
          immutable,
        ),
      ),
    ),
    route(endpoints.deleteServicePackageProvider, async ({ actor, params }) => {
      await removePackageProvider(dependencies, actor, params.service_package_id, params.provider_id);
      return noContent;
    }),
  ];
}
