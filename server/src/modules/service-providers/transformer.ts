import { ServiceProvider } from '@foyer/contract/resources/providers/service-provider.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { ServiceProviderRow } from './store.ts';

export const serviceProviderView = defineView<typeof ServiceProvider.fields, ServiceProviderRow>({
  resource: ServiceProvider,
  table: 'service_providers',
  transform: (row, reader) => reader.describeProvider(row.provider_type, row.properties),
});
