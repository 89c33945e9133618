import { handleStreamEvent } from '../src/modules/streams/index.ts';
import { readStream } from '../src/providers/foyer-media/streams.ts';
import type { TestApi } from './api.ts';
import { makeRoom } from './factories.ts';
import type { FakeMediaServer, MediaTarget } from './fake-media-server.ts';
import type { Json } from './fake-media-streams.ts';
import { makeMediaProvider } from './media-provider.ts';

/** The default features of a test package for streams. */
export const broadcastFeatures: Readonly<Record<string, string>> = {
  max_accounts: '10',
  max_rooms: '25',
  stream_minutes: '600',
  viewer_minutes: '6000',
  max_viewers: '100',
  max_outputs: '5',
  guest_access: 'true',
};

export interface BroadcastRoomOptions {
  readonly media: MediaTarget;
  readonly type?: 'live' | 'simulcast';
  readonly features?: Readonly<Record<string, string>>;
  readonly provider?: string;
}

/** A live or simulcast room on the media server, with its customer, subscription and account. */
export async function makeBroadcastRoom(api: TestApi, options: BroadcastRoomOptions) {
  const { media, type = 'live', features = {} } = options;
  const provider = options.provider ?? (await makeMediaProvider(api, media, type)).id;
  const fixture = await makeRoom(api, {
    provider,
    features: { ...broadcastFeatures, ...features },
    body: { service_type: type },
  });
  const { data } = await api.admin.readServiceProvider({ params: { service_provider_id: provider } });
  return { ...fixture, params: { room_id: fixture.room.id }, provider: data };
}

export interface BroadcastRoom {
  readonly params: { readonly room_id: string };
  readonly room: { readonly id: string; readonly uuid: string; readonly room_name: string };
  readonly account: { readonly id: string };
  readonly subscription: { readonly id: string; readonly uuid: string };
  readonly customer: { readonly id: string };
  readonly provider: { readonly id: string; readonly uuid: string };
}

/** Admits an encoder. The media server then opens the session and reports that the room is live. */
export async function goLive(api: TestApi, media: FakeMediaServer, fixture: BroadcastRoom, members: Json = {}) {
  const { params, room } = fixture;
  const { data: stream } = await api.admin.revealStreamKey({ params });
  const answer = await askToPublish(api, fixture, stream.ingest.stream_key);
  if (answer['allow'] !== true) throw new Error(`The encoder was rejected: ${JSON.stringify(answer)}`);
  const session = media.openSession(room.uuid, answer['session'] as Json);
  await report(
    api,
    fixture,
    media.changeStream(room.uuid, {
      state: 'live',
      session_id: session['session_id'],
      started_at_ms: api.clock.nowMs(),
      ended_at_ms: null,
      end_reason: null,
      ...members,
    }),
  );
  return { key: stream.ingest.stream_key, answer };
}

/** Reports a change to the platform, like a media server. */
export async function report(api: TestApi, { provider }: Pick<BroadcastRoom, 'provider'>, state: Json): Promise<void> {
  await handleStreamEvent(
    api.app.dependencies,
    { id: provider.uuid },
    { type: 'stream.changed', stream: readStream(state) },
  );
}

/** Requests the admission of an encoder, like a media server. */
export async function askToPublish(
  api: TestApi,
  { room, provider }: Pick<BroadcastRoom, 'room' | 'provider'>,
  key: string,
  protocol: 'rtmp' | 'whip' | 'pull' = 'rtmp',
): Promise<Json> {
  const { dependencies } = api.app;
  return (await handleStreamEvent(
    dependencies,
    { id: provider.uuid },
    {
      type: 'stream.publish',
      roomId: room.uuid,
      key,
      protocol,
    },
  )) as Json;
}
