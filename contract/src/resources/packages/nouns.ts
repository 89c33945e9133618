import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  service_package: {
    object: 'ServicePackage',
    prefix: 'pkg',
    permissions: { 'service-packages': { read: [], create: [], update: [], delete: [] } },
    events: crudEvents('service package'),
  },
  service_package_feature: {
    object: 'ServicePackageFeature',
    prefix: 'pkgfeat',
    permissions: { 'service-packages-features': { manage: ['read-service-packages'] } },
    events: crudEvents('feature of a service package'),
  },
  service_package_provider: {
    object: 'ServicePackageProvider',
    prefix: 'pkgprov',
    permissions: { 'service-packages-providers': { manage: ['read-service-packages', 'read-service-providers'] } },
    events: crudEvents('provider of a service package'),
  },
  feature: { object: 'Feature', prefix: 'pkgfeat' },
} as const satisfies Nouns;

export const tags: Tags = {
  'Service packages': 'What is for sale: price, period, features and service providers.',
  Features: 'All features that a package can have: limits and switches.',
};
