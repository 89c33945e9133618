import type { ProviderTypeName } from '@foyer/contract/resources/provider-types.ts';
import { ServiceProvider } from '@foyer/contract/resources/service-provider.ts';
import { capabilitiesOf } from '../../providers/registry.ts';
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
    provider_type: row.provider_type as ProviderTypeName,
    service_type: row.service_type,
    properties: maskProperties(row.provider_type, row.properties),
    pool: row.pool,
    tags: row.tags,
    weight: row.weight,
    draining: row.draining,
    max_meetings: row.max_meetings,
    max_participants: row.max_participants,
    capabilities: printCapabilities(row.provider_type),
    settings: listWhenEmpty(row.settings),
    metadata: row.metadata,
  }),
});

function printCapabilities(providerType: string) {
  const able = capabilitiesOf(providerType);
  return {
    hooks: able?.hooks ?? false,
    send_chat_message: able?.sendChatMessage ?? false,
    text_tracks: able?.textTracks ?? false,
    redirect_false: able?.redirectFalse ?? false,
    recording_pagination: able?.recordingPagination ?? false,
    sha384: able?.sha384 ?? false,
    admin_api: able?.adminApi ?? false,
    recording_sizes: able?.recordingSizes ?? false,
  };
}
