import { defineModule } from '../../module.ts';
import { packageFeatureView, packageProviderView, servicePackageView } from './transformer.ts';
import { relations } from './relations.ts';
import { servicePackageRoutes } from './routes.ts';

export { createServicePackage } from './create-service-package.ts';
export { addPackageFeature } from './package-features.ts';
export { addPackageProvider } from './package-providers.ts';
export {
  addProviderRow,
  changeProviderRow,
  lockProviderRows,
  requireProviderRow,
  providerTable,
  removeProviderRow,
} from './provider-rows.ts';
export {
  findServicePackageForUpdate,
  listPackageFeatures,
  type PackageFeatureRow,
  type PackageProviderRow,
  requireServicePackage,
  returnToStock,
  type ServicePackageRow,
  takeFromStock,
  listActiveProviders,
} from './store.ts';
export { packageProviderView, printProviderRow, servicePackageView } from './transformer.ts';

export const servicePackages = defineModule({
  name: 'service-packages',
  routes: servicePackageRoutes,
  views: {
    ServicePackageFeature: packageFeatureView,
    ServicePackageProvider: packageProviderView,
    ServicePackage: servicePackageView,
  },
  relations,
});
