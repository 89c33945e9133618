import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { MediaProvider } from '../../../providers/media.ts';
import type { MeetingProvider } from '../../../providers/meet.ts';
import type { Properties } from '../../../providers/provider-type.ts';
import type { ProviderRecord } from '../../../providers/registry.ts';
import { openProperties } from '../sealed-properties.ts';
import type { ServiceProviderRow } from '../store.ts';

type Services = Pick<Dependencies, 'secretBox' | 'providers'>;
type StoredProvider = Pick<ServiceProviderRow, 'id' | 'provider_type' | 'properties'>;

/** The adapter for a stored provider. Its secrets are decrypted once, until the stored properties change. */
export async function meetingProvider(services: Services, row: StoredProvider): Promise<MeetingProvider> {
  return services.providers.meeting(await openedRecord(services, row));
}

/** Like `meetingProvider`, for a media server. */
export async function mediaProvider(services: Services, row: StoredProvider): Promise<MediaProvider> {
  return services.providers.media(await openedRecord(services, row));
}

async function openedRecord({ secretBox, providers }: Services, row: StoredProvider): Promise<ProviderRecord> {
  const opened = openedBy.get(providers) ?? new LRUCache<Uuid, Opened>({ max: 1000 });
  openedBy.set(providers, opened);
  const sealed = JSON.stringify([row.provider_type, row.properties]);
  const cached = opened.get(row.id);
  const properties =
    cached?.sealed === sealed
      ? cached.properties
      : await openProperties(secretBox, { id: row.id, type: providers.type(row.provider_type) }, row.properties);
  opened.set(row.id, { sealed, properties });
  return { id: row.id, providerType: row.provider_type, properties };
}

interface Opened {
  readonly sealed: string;
  readonly properties: Properties;
}

const openedBy = new WeakMap<Dependencies['providers'], LRUCache<Uuid, Opened>>();
