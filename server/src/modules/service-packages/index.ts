export {
  addProviderRow,
  changeProviderRow,
  lockProviderRows,
  pickProviderRow,
  type ProviderTable,
  removeProviderRow,
} from './provider-rows.ts';
export {
  listPackageFeatures,
  lockServicePackage,
  type PackageFeatureRow,
  type PackageProviderRow,
  requireServicePackage,
  returnToStock,
  type ServicePackageRow,
  takeFromStock,
  usableProviders,
} from './store.ts';
export { packageProviderView, printProviderRow, printTerms, servicePackageView } from './transformer.ts';
