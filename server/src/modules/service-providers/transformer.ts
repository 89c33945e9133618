import { ServiceProvider } from '@foyer/contract/resources/providers/service-provider.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { listWhenEmpty } from '../../platform/row-members.ts';
import type { ServiceProviderRow } from './store.ts';

export const serviceProviderView = defineView<typeof ServiceProvider.fields, ServiceProviderRow>({
  resource: ServiceProvider,
  table: 'service_providers',
  transform: (row, reader) => ({
    provider_name: row.provider_name,
    active: row.active,
    provider_type: row.provider_type,
    service_type: row.service_type,
    ...reader.describeProvider(row.provider_type, row.properties),
    pool: row.pool,
    tags: row.tags,
    weight: row.weight,
    draining: row.draining,
    max_meetings: row.max_meetings,
    max_participants: row.max_participants,
    settings: listWhenEmpty(row.settings),
    metadata: row.metadata,
  }),
});
