import { maskProperties } from '../../providers/properties.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';
import { type Properties, sessionServiceOf } from '../../providers/provider-type.ts';

/** The properties and capabilities of a provider, as the API returns them. */
export function describeProvider(providers: ProviderRegistry, typeName: string, properties: Properties) {
  const type = providers.type(typeName);
  const capabilities = sessionServiceOf(type)?.capabilities;
  return {
    properties: maskProperties(type?.declaration, properties),
    capabilities: {
      hooks: capabilities?.hooks ?? false,
      send_chat_message: capabilities?.sendChatMessage ?? false,
      text_tracks: capabilities?.textTracks ?? false,
      redirect_false: capabilities?.redirectFalse ?? false,
      recording_pagination: capabilities?.recordingPagination ?? false,
      sha384: capabilities?.sha384 ?? false,
      admin_api: capabilities?.adminApi ?? false,
      recording_sizes: capabilities?.recordingSizes ?? false,
    },
  };
}
