import { authenticated, endpoint, list } from '../../conventions/endpoint.ts';
import { boolean, derived, listOf, nullable, oneOf, text } from '../../conventions/field.ts';
import { resource } from '../../conventions/resource.ts';

/** A feature that packages can have. */
export const Feature = resource('feature', {
  readPermission: null,
  fields: {
    object: derived(oneOf(['Feature'])),
    name: text(150, { freeText: true }),
    code: text(150, { freeText: true }),
    value_type: oneOf(['limit', 'flag', 'text']),
    unit: nullable(text()),
    consumable: boolean(),
    aggregation_type: nullable(text()),
    description: text(32_768, { freeText: true }),
    service_types: listOf(text()),
  },
  includes: {},
});

export const featureEndpoints = {
  listFeatures: endpoint({
    method: 'GET',
    path: '/features',
    tag: 'Features',
    summary: 'List the features that packages can have',
    access: authenticated(),
    answer: list(Feature),
  }),
};
