import { Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, holders } from '../../conventions/endpoint.ts';
import {
  allOptional,
  identifier,
  integer,
  longText,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';
import { intervals } from './terms.ts';

/** A feature's value in a request: a number, a boolean, or a text. */
export function featureValue() {
  return Type.Unsafe<string | number | boolean>({
    type: ['string', 'number', 'boolean'],
    maxLength: 255,
  });
}

export const ServicePackageFeature = resource('service_package_feature', {
  readPermission: 'read-service-packages',
  fields: {
    ...identity('service_package_feature'),
    package_id: identifier('pkg'),
    tag: text(150, { freeText: true }),
    name: text(150, { freeText: true }),
    description: nullable(longText({ freeText: true })),
    value: text(255),
    resettable_period: integer(),
    resettable_interval: oneOf(intervals),
    sort_order: nullable(integer()),
    ...timestamps(),
  },
  includes: { package: one('ServicePackage') },
});

const tag = 'Service packages';
const params = { service_package_id: 'pkg' } as const;
const featureParams = { service_package_id: 'pkg', feature_id: 'pkgfeat' } as const;

export const featureWritable = allOptional({
  name: text(150, { minLength: 1 }),
  description: nullable(longText()),
  resettable_period: integer(0, 1000),
  resettable_interval: nullable(oneOf(intervals, 'Null means `month`.')),
  sort_order: nullable(integer()),
});

const servicePackageFeatures = collection(ServicePackageFeature, {
  path: '/service-packages/:service_package_id/features',
  tag,
  params,
  elementParams: featureParams,
});

export const servicePackageFeatureEndpoints = {
  listServicePackageFeatures: endpoint({
    ...servicePackageFeatures.list,
    summary: 'List the features of a service package',
    access: holders('read-service-packages'),
  }),
  createServicePackageFeature: endpoint({
    ...servicePackageFeatures.create,
    summary: 'Add a feature to a service package',
    description: '`tag` is a `code` of `GET /features`. `service_feature_code` is accepted as another name of `tag`.',
    access: holders('manage-service-packages-features'),
    body: object({
      tag: optional(text(150, { minLength: 1 })),
      service_feature_code: optional(text(150, { minLength: 1 })),
      value: featureValue(),
      ...featureWritable,
    }),
  }),
  readServicePackageFeature: endpoint({
    ...servicePackageFeatures.read,
    summary: 'Read a feature of a service package',
    access: holders('read-service-packages'),
  }),
  updateServicePackageFeature: endpoint({
    ...servicePackageFeatures.update,
    summary: 'Change a feature of a service package',
    access: holders('manage-service-packages-features'),
    body: object({
      value: optional(featureValue()),
      ...featureWritable,
    }),
    immutable: object({ tag: optional(text()) }),
  }),
  deleteServicePackageFeature: endpoint({
    ...servicePackageFeatures.delete,
    summary: 'Remove a feature from a service package',
    access: holders('manage-service-packages-features'),
  }),
};
