import { parseIdentifier } from '../src/platform/identity/identifier.ts';
import { handleVideoEvent } from '../src/modules/videos/index.ts';
import { readVideo } from '../src/providers/foyer-media/videos.ts';
import type { TestApi } from './api.ts';
import { makeCustomer, makePackage, unique } from './factories.ts';
import type { MediaTarget } from './fake-media-server.ts';
import { makeMediaProvider } from './media-provider.ts';

export const videoFeatures: Readonly<Record<string, string>> = {
  max_accounts: '5',
  max_rooms: '10',
  max_videos: '100',
  max_storage: '100',
  transcoding_minutes: '1000',
};

export interface VideoRoomOptions {
  readonly features?: Readonly<Record<string, string>>;
  readonly room?: Record<string, unknown>;
  readonly provider?: string;
  /** Created by default. */
  readonly customer?: { readonly id: string };
}

/** Creates a room of the type video on the media server, with its customer, subscription and account. */
export async function makeVideoRoom(api: TestApi, media: MediaTarget, options: VideoRoomOptions = {}) {
  const provider = options.provider ?? (await makeMediaProvider(api, media)).id;
  const servicePackage = await makePackage(api, {
    provider,
    features: { ...videoFeatures, ...options.features },
    body: { service_type: 'video' },
  });
  const customer = options.customer ?? (await makeCustomer(api));
  const { data: subscription } = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  const { data: account } = await api.admin.createAccount({
    body: { account_name: unique('Account'), subscription_id: subscription.id },
  });
  const { data: room } = await api.admin.createRoom({
    body: { room_name: unique('Video room'), account_id: account.id, ...options.room },
  });
  return { provider, servicePackage, customer, subscription, account, room, params: { room_id: room.id } };
}

export type VideoRoom = Awaited<ReturnType<typeof makeVideoRoom>>;

export async function makeVideo(
  api: TestApi,
  { params }: Pick<VideoRoom, 'params'>,
  body: Record<string, unknown> = {},
) {
  const { data } = await api.admin.createVideo({ params, body: { name: unique('Video'), size_bytes: 1000, ...body } });
  return data;
}

export async function usageOf(api: TestApi, subscriptionId: string, tag: string) {
  const { data } = await api.admin.listSubscriptionFeatures({
    params: { subscription_id: subscriptionId },
    query: { limit: 0 },
  });
  return data.find((feature) => feature.tag === tag)?.usage.data.used;
}

function uuidOf(id: string, prefix: 'prov' | 'video'): string {
  return parseIdentifier(prefix, id) ?? '';
}

/** Reports that a video was uploaded, like a media server. @returns whether and how the video may be transcoded */
export async function reportUpload(api: TestApi, provider: string, videoId: string, durationSeconds: number) {
  return await handleVideoEvent(
    api.app.dependencies,
    { id: uuidOf(provider, 'prov') },
    {
      type: 'video.uploaded',
      videoId: uuidOf(videoId, 'video'),
      sizeBytes: 1000,
      probe: { durationSeconds, width: 1920, height: 1080 },
    },
  );
}

/** Reports a video, like a media server. */
export async function sendVideoState(api: TestApi, provider: string, video: object) {
  const state = readVideo(video as never);
  if (!state) throw new Error('The media server described no video.');
  await handleVideoEvent(
    api.app.dependencies,
    { id: uuidOf(provider, 'prov') },
    { type: 'video.changed', video: state },
  );
}
