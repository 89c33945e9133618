import { servicePackageEndpoints as endpoints } from '@foyer/contract/resources/packages/service-package.ts';
import { servicePackageFeatureEndpoints as featureEndpoints } from '@foyer/contract/resources/packages/service-package-feature.ts';
import { servicePackageProviderEndpoints as providerEndpoints } from '@foyer/contract/resources/packages/service-package-provider.ts';
import type { Dependencies } from '../../dependencies.ts';
import { nestedRoutes } from '../../nested-routes.ts';
import { type Route, route, rows, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { createServicePackage } from './create-service-package.ts';
import { deleteServicePackage } from './delete-service-package.ts';
import { addPackageFeature, deletePackageFeature, updatePackageFeature } from './package-features.ts';
import { addPackageProvider, removePackageProvider, updatePackageProvider } from './package-providers.ts';
import { requirePackageFeature, requirePackageProvider, requireServicePackage } from './store.ts';
import { packageFeatureView, packageProviderView, servicePackageView } from './transformer.ts';
import { updateServicePackage } from './update-service-package.ts';

const parent = { column: 'package_id', require: requireServicePackage };

export function servicePackageRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listServicePackages, () => rows(servicePackageView)),
    rowRoute(endpoints.createServicePackage, servicePackageView, ({ actor, body }) =>
      createServicePackage(dependencies, actor, body),
    ),
    rowRoute(endpoints.readServicePackage, servicePackageView, ({ params }) =>
      requireServicePackage(db, params.service_package_id),
    ),
    rowRoute(endpoints.updateServicePackage, servicePackageView, (call) => updateServicePackage(dependencies, call)),
    actionRoute(endpoints.deleteServicePackage, ({ actor, params }) =>
      deleteServicePackage(dependencies, actor, params.service_package_id),
    ),
    ...nestedRoutes(dependencies, {
      parent,
      view: packageFeatureView,
      require: requirePackageFeature,
      list: featureEndpoints.listServicePackageFeatures,
      read: featureEndpoints.readServicePackageFeature,
      create: [featureEndpoints.createServicePackageFeature, addPackageFeature],
      update: [featureEndpoints.updateServicePackageFeature, updatePackageFeature],
      delete: [featureEndpoints.deleteServicePackageFeature, deletePackageFeature],
    }),
    ...nestedRoutes(dependencies, {
      parent,
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
