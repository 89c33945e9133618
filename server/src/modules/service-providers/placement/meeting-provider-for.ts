import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { MeetingProvider } from '../../../providers/meet.ts';
import type { Properties } from '../../../providers/provider-type.ts';
import { openProperties } from '../sealed-properties.ts';
import type { ServiceProviderRow } from '../store.ts';

/** The adapter for a stored provider. Its secrets are decrypted once, until the stored properties change. */
export async function meetingProvider(
  { secretBox, providers }: Pick<Dependencies, 'secretBox' | 'providers'>,
  row: Pick<ServiceProviderRow, 'id' | 'provider_type' | 'properties'>,
): Promise<MeetingProvider> {
  const opened = openedBy.get(providers) ?? new LRUCache<Uuid, Opened>({ max: 1000 });
  openedBy.set(providers, opened);
  const sealed = JSON.stringify([row.provider_type, row.properties]);
  const known = opened.get(row.id);
  const properties =
    known?.sealed === sealed
      ? known.properties
      : await openProperties(secretBox, { id: row.id, type: providers.type(row.provider_type) }, row.properties);
  opened.set(row.id, { sealed, properties });
  return providers.meeting({ id: row.id, providerType: row.provider_type, properties });
}

interface Opened {
  readonly sealed: string;
  readonly properties: Properties;
}

const openedBy = new WeakMap<Dependencies['providers'], LRUCache<Uuid, Opened>>();
