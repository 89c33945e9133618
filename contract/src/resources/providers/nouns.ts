import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  service_provider: {
    object: 'ServiceProvider',
    prefix: 'prov',
    permissions: { 'service-providers': { read: [], create: [], update: [], delete: [] } },
    events: {
      ...crudEvents('service provider'),
      down: 'A service provider does not respond.',
      up: 'A service provider responds again.',
      failed_over: 'A meeting was opened on another provider because this one did not respond.',
    },
  },
} as const satisfies Nouns;

export const tags: Tags = {
  'Service providers': 'The servers that host meetings, streams and videos.',
};
