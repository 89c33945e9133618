import { serviceProviderView } from '../service-providers/index.ts';
import { belongsTo, hasMany, linked, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation } from '../../platform/list-query/view.ts';
import { packageFeatureView, packageProviderView, servicePackageView } from './transformer.ts';

const packageProviderLink = { table: 'service_package_providers', parent: 'service_provider_id', child: 'package_id' };

export const relations: readonly NamedRelation[] = [
  relation(servicePackageView, 'features', hasMany(packageFeatureView, 'package_id')),
  relation(servicePackageView, 'providers', hasMany(packageProviderView, 'package_id')),
  relation(packageFeatureView, 'package', belongsTo(servicePackageView, 'package_id')),
  relation(packageProviderView, 'package', belongsTo(servicePackageView, 'package_id')),
  relation(packageProviderView, 'service_provider', belongsTo(serviceProviderView, 'service_provider_id')),
  relation(serviceProviderView, 'packages', linked(servicePackageView, packageProviderLink)),
];
