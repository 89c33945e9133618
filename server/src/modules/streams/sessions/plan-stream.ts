import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import type { OutputPlan, SessionPlan, StreamPlan } from '../../../providers/media.ts';
import { callbackAddress } from '../../meetings/index.ts';
import type { LoadedAccess } from '../../room-access/index.ts';
import { listOutputsOfRoom } from '../outputs/output-store.ts';
import type { StreamRow } from '../store.ts';
import { outputKeyAssociatedData, sourceAssociatedData } from '../stream-key.ts';

/** The lower resolutions for viewers, in addition to that of the encoder. */
const ladderHeights = [240, 360, 480, 720, 1080];
/** The rewind time if it is unlimited. */
const maxDvrMinutes = 240;

export interface StreamOptions {
  /** Whether the subscription has storage for a recording. */
  readonly mayRecord: boolean;
  readonly minutesLeft: number | null;
}

/** The stream as it is sent to the media server: its settings, limited to the features of the subscription. */
export async function planStream(
  dependencies: Dependencies,
  { room, features }: Pick<LoadedAccess, 'room' | 'features'>,
  stream: StreamRow,
  { mayRecord, minutesLeft }: StreamOptions,
): Promise<StreamPlan> {
  const { db, secretBox, settings } = dependencies;
  const isOn = (tag: string) => features.get(tag) === 'true';
  const limit = (tag: string) => limitOf(features.get(tag) ?? '0');
  const maxHeight = limit('max_resolution');
  const durations = [limit('max_duration'), minutesLeft].filter((minutes) => minutes !== null);
  const sealedSource = stream.source_url_sealed;
  return {
    roomId: room.id,
    serviceType: room.room_type === 'simulcast' ? 'simulcast' : 'live',
    callbackUrl: callbackAddress(dependencies, 'media-events', requireProviderId(stream)),
    latencyMode: stream.latency_mode === 'low' && isOn('low_latency') ? 'low' : 'normal',
    dvrMinutes: Math.min(limit('dvr_minutes') ?? maxDvrMinutes, maxDvrMinutes),
    isRecorded: stream.record && mayRecord && isOn('recording'),
    ladder: isOn('adaptive_bitrate') ? ladderHeights.filter((height) => maxHeight === null || height <= maxHeight) : [],
    maxHeight,
    maxBitrateKbps: limit('max_bitrate'),
    maxDurationMinutes: durations.length === 0 ? null : Math.max(1, Math.min(...durations)),
    sourceUrl: sealedSource === null ? null : await secretBox.open(sealedSource, sourceAssociatedData(stream.id)),
    outputs: room.room_type === 'simulcast' ? await listOutputPlans({ db, secretBox }, room.id) : [],
    hasViewers: limit('max_viewers') !== 0,
    allowsPrivateAddresses: settings().media_allow_private_addresses,
  };
}

export function planSession(
  dependencies: Dependencies,
  { room, features }: Pick<LoadedAccess, 'room' | 'features'>,
): SessionPlan {
  return {
    serviceType: room.room_type,
    name: room.room_name,
    features,
    callbacks: { media: (providerId) => callbackAddress(dependencies, 'media-events', providerId) },
  };
}

async function listOutputPlans(
  { db, secretBox }: Pick<Dependencies, 'db' | 'secretBox'>,
  roomId: string,
): Promise<OutputPlan[]> {
  return await Promise.all(
    (await listOutputsOfRoom(db, roomId)).map(async ({ id, url, enabled, stream_key_sealed: sealed }) => ({
      id,
      url,
      streamKey: sealed === null ? '' : await secretBox.open(sealed, outputKeyAssociatedData(id)),
      enabled,
    })),
  );
}

function requireProviderId({ id, service_provider_id: providerId }: StreamRow): string {
  if (providerId === null) throw new ProviderFailure('misconfigured', id, 'The stream has no media server.');
  return providerId;
}
