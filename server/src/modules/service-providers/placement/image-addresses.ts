import type { Database } from '../../../database/connect.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { ImageAddress } from '../../../platform/list-query/view.ts';
import type { MediaProvider } from '../../../providers/media.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { mediaProvider } from './meeting-provider.ts';

/** Returns a function that computes the addresses of images on these media servers. Sends no requests. */
export async function imageAddresses(
  services: Pick<Dependencies, 'secretBox' | 'providers'>,
  db: Database,
  ids: readonly Uuid[],
): Promise<ImageAddress> {
  const adapters = new Map<Uuid, MediaProvider>();
  if (ids.length > 0) {
    const rows = await db
      .selectFrom('service_providers')
      .select(['id', 'provider_type', 'properties'])
      .where('id', 'in', [...ids])
      .execute();
    for (const row of rows) {
      const adapter = await mediaProvider(services, row).catch((error: unknown) => {
        if (error instanceof ProviderFailure) return null;
        throw error;
      });
      if (adapter) adapters.set(row.id, adapter);
    }
  }
  return ({ providerId, roomId, videoId }, name) =>
    adapters.get(providerId)?.imageAddress(roomId, videoId, name) ?? null;
}
