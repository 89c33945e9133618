import { ServiceProvider } from '@foyer/contract/service-provider.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { listWhenEmpty } from '../../platform/row-members.ts';
import { maskProperties } from './properties.ts';
import type { ServiceProviderRow } from './store.ts';

export const serviceProviderView = defineView<typeof ServiceProvider.fields, ServiceProviderRow>({
  resource: ServiceProvider,
  table: 'service_providers',
  transform: (row) => ({
    provider_name: row.provider_name,
    active: row.active,
    provider_type: row.provider_type as 'bigbluebutton',
    service_type: row.service_type as 'meet',
    properties: maskProperties(row.provider_type, row.properties),
    settings: listWhenEmpty(row.settings),
    metadata: row.metadata as never,
  }),
});
