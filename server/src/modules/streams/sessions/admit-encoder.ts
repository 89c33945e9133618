import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction, recordRefusedLimit, system } from '../../../events/change.ts';
import { Failure, type RefusedLimit } from '../../../platform/failures.ts';
import { newUuid, parseIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import type { MediaEvent, MediaProvider } from '../../../providers/media.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import {
  availabilityRefusals,
  beginSession,
  loadAccess,
  type LoadedAccess,
  refusal,
  refusedLimit,
} from '../../room-access/index.ts';
import { findServiceProvider, mediaProvider } from '../../service-providers/index.ts';
import { lockUsages } from '../../subscriptions/index.ts';
import { findStream, lockStream, storeStream, type StreamRow } from '../store.ts';
import { isSameKey, keyAssociatedData } from '../stream-key.ts';
import { applyReport } from './apply-report.ts';
import { findMinutesLeft, minutesTag } from './minute-store.ts';
import { planSession, planStream } from './plan-stream.ts';
import { insertSession, lockCurrentSession, storeSession } from './session-store.ts';

export type PublishRequest = Extract<MediaEvent, { type: 'stream.publish' }>;

/** The encoder must not publish. The media server gets the code and the message. */
class EncoderRefused extends Error {
  readonly code: string;
  /** The reached limit, if that is the reason. */
  readonly limit: RefusedLimit | null;

  constructor(code: string, message: string, limit: RefusedLimit | null = null) {
    super(message);
    this.name = 'EncoderRefused';
    this.code = code;
    this.limit = limit;
  }
}

/** An encoder that was admitted on another server and has sent nothing for this long counts as disconnected. */
const admissionMs = 30_000;
/** A limit of 0 allows no broadcast: a media server may read 0 as unlimited. */
const zeroLimits = ['max_duration', 'max_concurrent_meetings', 'max_bitrate', 'max_resolution', minutesTag];

/**
 * Decides whether an encoder may publish. Returns the session and the stream, or the reason for the refusal.
 */
export async function admitEncoder(
  dependencies: Dependencies,
  providerId: Uuid,
  request: PublishRequest,
): Promise<object> {
  try {
    return await checkAndAdmit(dependencies, providerId, request);
  } catch (error) {
    if (error instanceof EncoderRefused) {
      if (error.limit) await recordRefusedLimit(dependencies, system, error.limit);
      return { allow: false, code: error.code, message: error.message };
    }
    if (error instanceof Failure) return { allow: false, code: error.code, message: error.message };
    if (!(error instanceof ProviderFailure)) throw error;
    return { allow: false, code: 'provider-unavailable', message: 'The media server does not respond.' };
  }
}

async function checkAndAdmit(dependencies: Dependencies, providerId: Uuid, request: PublishRequest): Promise<object> {
  const { db, clock, settings } = dependencies;
  const { roomId } = request;
  const stream = await checkKey(dependencies, request);
  const loaded = await loadAccess(db, roomId, clock.today(settings().system_timezone), clock.now());
  await checkAccess(dependencies, loaded, providerId);
  const adapter = await findAdapter(dependencies, providerId);
  await refuseSecondEncoder(dependencies, { providerId, adapter }, roomId);
  const admitted = await inTransaction(dependencies, system, (change) =>
    storeAdmission(change, { loaded, providerId, stream }),
  );
  const plan = await planStream(dependencies, loaded, admitted.stream, admitted.options);
  return adapter.publishResponse(planSession(dependencies, loaded), plan);
}

async function checkKey(
  { db, secretBox }: Pick<Dependencies, 'db' | 'secretBox'>,
  { roomId, key, protocol }: PublishRequest,
): Promise<StreamRow> {
  const stream = parseIdentifier('room', roomId) === roomId ? await findStream(db, roomId) : undefined;
  const createWrongKeyError = () =>
    new EncoderRefused('stream-key-wrong', 'The stream key is wrong. Copy it again from the room.');
  if (!stream) throw createWrongKeyError();
  if (protocol === 'pull') {
    if (stream.source_url === null) throw new EncoderRefused('no-source', 'The stream has no source.');
    return stream;
  }
  if (!isSameKey(key, await secretBox.open(stream.key_sealed, keyAssociatedData(stream.id))))
    throw createWrongKeyError();
  if (stream.source_url !== null)
    throw new EncoderRefused('source-set', 'The room gets its stream from a source. Remove the source first.');
  return stream;
}

/** @throws Failure with the reason */
async function checkAccess(dependencies: Dependencies, loaded: LoadedAccess, providerId: Uuid): Promise<void> {
  const { room, rules, features, meeting, providers } = loaded;
  const [closed] = availabilityRefusals(rules);
  if (closed) throw refusal(closed);
  const zeroTag = zeroLimits.find((tag) => limitOf(features.get(tag) ?? 'unlimited') === 0);
  if (zeroTag !== undefined) {
    const limit = { subscriptionId: room.subscription_id, tag: zeroTag, limit: '0', used: 0 };
    throw new EncoderRefused('limit-is-zero', `The limit ${zeroTag} is 0, so the room can't broadcast.`, limit);
  }
  // Otherwise the broadcast would end with its first viewer.
  if (rules.areMinutesUsedUp && rules.hasViewers) {
    const limit = refusedLimit(loaded, 'participant-minutes-used-up');
    if (limit) await recordRefusedLimit(dependencies, system, limit);
    throw refusal('participant-minutes-used-up');
  }
  if (meeting?.state === 'open' && meeting.provider) {
    if (meeting.provider.id !== providerId) throw createOtherServerError();
  } else if (!providers.some(({ id }) => id === providerId)) throw refusal('no-usable-provider');
}

function createOtherServerError(): EncoderRefused {
  return new EncoderRefused(
    'stream-elsewhere',
    'The room runs on another media server. Copy the address for encoders again from the room.',
  );
}

async function findAdapter(dependencies: Dependencies, providerId: Uuid): Promise<MediaProvider> {
  const provider = await findServiceProvider(dependencies.db, providerId);
  if (!provider) throw refusal('no-usable-provider');
  return await mediaProvider(dependencies, provider);
}

interface Server {
  readonly providerId: Uuid;
  readonly adapter: MediaProvider;
}

/** Reads the state from the media server, since its last report may be old. */
async function refuseSecondEncoder(dependencies: Dependencies, server: Server, roomId: Uuid): Promise<void> {
  const stream = await findStream(dependencies.db, roomId);
  if (stream?.state !== 'live') return;
  if (stream.service_provider_id !== server.providerId) throw createBusyError();
  const report = await server.adapter.streams.state(roomId);
  if (report === null) return;
  await applyReport(dependencies, server.providerId, report, { isAnswer: true });
  if (report.state === 'live') throw createBusyError();
}

function createBusyError(): EncoderRefused {
  return new EncoderRefused('stream-busy', 'Another encoder is live in this room. Stop it first.');
}

interface AdmissionRequest {
  readonly loaded: LoadedAccess;
  readonly providerId: Uuid;
  /** The stream for which the key was checked. */
  readonly stream: StreamRow;
}

async function storeAdmission(change: Change, { loaded, providerId, stream }: AdmissionRequest) {
  const { tx, now } = change;
  const { id: roomId, subscription_id: subscriptionId } = loaded.room;
  const meeting = await beginSession(change, loaded, providerId);
  if (meeting.service_provider_id !== providerId) throw createOtherServerError();
  const row = await lockStream(tx, roomId);
  if (row?.key_sealed !== stream.key_sealed || row.source_url_sealed !== stream.source_url_sealed)
    throw new EncoderRefused('stream-key-wrong', 'The stream was changed. Try again.');
  const current = await lockCurrentSession(tx, roomId);
  if (
    current &&
    current.service_provider_id !== providerId &&
    epochMs(now) - epochMs(current.admitted_at) < admissionMs
  )
    throw createBusyError();
  const isReconnect = current?.state === 'live';
  const minutesLeft = isReconnect ? current.minutes_left : await requireMinutes(change, roomId, subscriptionId);
  const admission = { service_provider_id: providerId, admitted_at: now, minutes_left: minutesLeft };
  if (isReconnect) await storeSession(tx, current.id, { service_provider_id: providerId });
  else if (current) await storeSession(tx, current.id, admission);
  else {
    await insertSession(tx, {
      id: newUuid(),
      room_id: roomId,
      subscription_id: subscriptionId,
      state: 'admitted',
      ...admission,
    });
  }
  return {
    stream: await storeStream(tx, row.id, { service_provider_id: providerId }),
    options: { mayRecord: meeting.may_record, minutesLeft },
  };
}

/** @throws 403 if no minutes are left */
async function requireMinutes(change: Change, roomId: Uuid, subscriptionId: Uuid): Promise<number | null> {
  const usages = await lockUsages(change.tx, [subscriptionId], [minutesTag]);
  const minutesLeft = await findMinutesLeft(change.tx, { roomId, subscriptionId }, change);
  if (minutesLeft === null || minutesLeft >= 1) return minutesLeft;
  const message = 'The stream minutes of this period are used up.';
  const usageOfSubscription = usages.find((usage) => usage.subscription_id === subscriptionId);
  throw new EncoderRefused('stream-minutes-used-up', message, {
    subscriptionId,
    tag: minutesTag,
    limit: usageOfSubscription?.value ?? '0',
    used: usageOfSubscription?.used ?? 0,
  });
}
