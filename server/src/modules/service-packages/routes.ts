import { servicePackageEndpoints as endpoints } from '@foyer/contract/resources/packages/service-package.ts';
import { servicePackageFeatureEndpoints as featureEndpoints } from '@foyer/contract/resources/packages/service-package-feature.ts';
import { servicePackageProviderEndpoints as providerEndpoints } from '@foyer/contract/resources/packages/service-package-provider.ts';
import type { Dependencies } from '../../dependencies.ts';
import { nestedRoutes } from '../../nested-routes.ts';
import { type Route, route, row, rows, actionRoute } from '../../platform/http/input/call.ts';
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
    route(endpoints.updateServicePackage, async (call) =>
      row(servicePackageView, await updateServicePackage(dependencies, call)),
    ),
    actionRoute(endpoints.deleteServicePackage, ({ actor, params }) =>
      deleteServicePackage(dependencies, actor, params.service_package_id),
    ),
    ...nestedRoutes(dependencies, {
      parent: { column: 'package_id', require: requireServicePackage },
      view: packageFeatureView,
      require: requirePackageFeature,
      list: featureEndpoints.listServicePackageFeatures,
      read: featureEndpoints.readServicePackageFeature,
      create: [featureEndpoints.createServicePackageFeature, addPackageFeature],
      update: [featureEndpoints.updateServicePackageFeature, updatePackageFeature],
      delete: [featureEndpoints.deleteServicePackageFeature, deletePackageFeature],
    }),
    ...nestedRoutes(dependencies, {
      parent: { column: 'package_id', require: requireServicePackage },
      view: packageProviderView,
      require: requirePackageProvider,
      list: providerEndpoints.listServicePackageProviders,
      read: providerEndpoints.readServicePackageProvider,
      create: [providerEndpoints.createServicePackageProvider, addPackageProvider],
      update: [providerEndpoints.updateServicePackageProvider, updatePackageProvider],
      delete: [providerEndpoints.deleteServicePackageProvider, removePackageProvider],
    }),
  ];
}
