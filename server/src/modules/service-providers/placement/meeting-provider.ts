import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { MediaProvider } from '../../../providers/media.ts';
import type { MeetingProvider } from '../../../providers/meet.ts';
import type { ProviderRecord } from '../../../providers/registry.ts';
import { openProperties } from '../sealed-properties.ts';
import { findServiceProvider, type ServiceProviderRow } from '../store.ts';

type Services = Pick<Dependencies, 'secretBox' | 'providers'>;
type StoredProvider = Pick<ServiceProviderRow, 'id' | 'provider_type' | 'properties'>;

/** The adapter for a stored provider. */
export async function meetingProvider(services: Services, row: StoredProvider): Promise<MeetingProvider> {
  return services.providers.meeting(await openRecord(services, row));
}

/** The adapter of the provider with that id; null if it was deleted. */
export async function findMeetingProvider(
  services: Services & Pick<Dependencies, 'db'>,
  id: Uuid | null,
): Promise<MeetingProvider | null> {
  const row = id === null ? undefined : await findServiceProvider(services.db, id);
  return row ? await meetingProvider(services, row) : null;
}

/** Like `meetingProvider`, for a media server. */
export async function mediaProvider(services: Services, row: StoredProvider): Promise<MediaProvider> {
  return services.providers.media(await openRecord(services, row));
}

async function openRecord({ secretBox, providers }: Services, row: StoredProvider): Promise<ProviderRecord> {
  const { id, provider_type: providerType } = row;
  const properties = await openProperties(secretBox, { id, type: providers.type(providerType) }, row.properties);
  return { id, providerType, properties };
}
