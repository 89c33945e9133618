import type { TestApi } from './api.ts';
import { unique } from './factories.ts';
import type { MediaTarget } from './fake-media-server.ts';

/** A service provider for the media server. */
export async function makeMediaProvider(
  { admin }: TestApi,
  { url, secret }: MediaTarget,
  type: 'video' | 'live' | 'simulcast' = 'video',
) {
  const { data } = await admin.createServiceProvider({
    body: {
      provider_name: unique('Media server'),
      provider_type: 'foyer-media',
      service_type: type,
      properties: { host_url: url, secret },
    },
  });
  return data;
}
