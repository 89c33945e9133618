import type { Dependencies } from '../../dependencies.ts';
import type { MeetingProvider } from '../../providers/meeting-provider.ts';
import { openProperties } from './properties.ts';
import type { ServiceProviderRow } from './store.ts';

/** The adapter for a stored provider, with its secrets opened. */
export async function meetingProvider(
  { secretBox, providers }: Pick<Dependencies, 'secretBox' | 'providers'>,
  row: Pick<ServiceProviderRow, 'id' | 'provider_type' | 'properties'>,
): Promise<MeetingProvider> {
  const properties = await openProperties(secretBox, row.id, row.provider_type, row.properties);
  return providers.meeting({ id: row.id, providerType: row.provider_type, properties });
}
