import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Callbacks } from '../callbacks.ts';
import { readPlan } from '../sessions/routes.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { ConnectionProblem } from '../network/connection-errors.ts';
import { readJson, writeJson } from '../storage/json-file.ts';
import type { Connection, EncoderInput, OpenInput } from './input.ts';
import { UnusableInput } from './media/frame.ts';
import { createPuller, type Puller, type PullPrograms } from './pull/puller.ts';
import { createRefusals } from './refusals.ts';
import { streamBusy, createStream, type Stream, type StreamServices } from './stream.ts';
import { readStreamPlan, type StreamPlan } from './stream-plan.ts';

export interface Streams {
  find(roomId: string): Stream | null;
  all(): Stream[];
  /** Registers or changes the stream. */
  set(plan: StreamPlan): Promise<Stream>;
  end(roomId: string, reason: string): void;
  remove(roomId: string): Promise<void>;
  /** Checks a stream key, and asks the platform whether to accept its encoder. */
  readonly open: OpenInput;
  close(): void;
}

export interface StreamsServices extends Pick<StreamServices, 'dataDir' | 'recordings' | 'programs' | 'disk'> {
  readonly callbacks: Callbacks;
  readonly sessions: Sessions;
  readonly pull: PullPrograms;
}

const publishTimeoutMs = 3000;
const tickMs = 1000;

/** The streams that the platform has registered. Their plans and live sessions survive a restart. */
export async function openStreams(services: StreamsServices): Promise<Streams> {
  const { dataDir, callbacks, sessions } = services;
  const directory = join(dataDir, 'streams');
  await mkdir(directory, { recursive: true });
  // The plans contain the stream keys of outputs.
  await chmod(directory, 0o700);
  // Removes the segments of an earlier process, whose renditions no longer exist.
  await rm(join(dataDir, 'live'), { recursive: true, force: true });
  const streams = new Map<string, Stream>();
  const pullers = new Map<string, Puller>();
  const openingRooms = new Set<string>();
  const refusals = createRefusals();
  const fileOf = (roomId: string) => join(directory, `${roomId}.json`);

  const streamServices: StreamServices = {
    ...services,
    endSession: (roomId, reason) => void sessions.end(roomId, reason).catch(() => {}),
    viewersOf: (roomId) => sessions.find(roomId)?.viewers.size ?? 0,
  };

  function register(plan: StreamPlan): Stream {
    const existing = streams.get(plan.roomId);
    existing?.set(plan);
    const stream = existing ?? createStream(plan, streamServices);
    streams.set(plan.roomId, stream);
    return stream;
  }

  /** Starts, replaces or stops the puller of the stream. */
  function pull({ roomId, sourceUrl, arePrivateAddressesAllowed }: StreamPlan): void {
    const current = pullers.get(roomId);
    if (current && current.url === sourceUrl && current.arePrivateAddressesAllowed === arePrivateAddressesAllowed)
      return current.resume();
    current?.close();
    pullers.delete(roomId);
    const stream = streams.get(roomId);
    stream?.setSourceError(null);
    if (sourceUrl === null) return current && stream?.removeSource();
    const open = (connection: Connection) =>
      openInput(roomId, '', { address: new URL(sourceUrl).hostname, connection });
    const onState = (error: ConnectionProblem | null) => stream?.setSourceError(error);
    pullers.set(
      roomId,
      createPuller({ url: sourceUrl, arePrivateAddressesAllowed, programs: services.pull, open, onState }),
    );
  }

  interface EncoderRequest {
    readonly address: string;
    readonly connection: Connection;
  }

  async function openInput(
    roomId: string,
    key: string,
    { address, connection }: EncoderRequest,
  ): Promise<EncoderInput> {
    const stream = streams.get(roomId);
    if (!stream) throw new UnusableInput('stream-key-wrong', 'The stream key is wrong. Copy it again from the room.');
    if (stream.state === 'live' || openingRooms.has(roomId)) throw streamBusy();
    refusals.check({ roomId, key, address });
    openingRooms.add(roomId);
    try {
      const answer = await requestPublish(stream.plan, key, { address, connection });
      const { session } = await sessions.open(readPlan(roomId, answer.session));
      await sessions.markLive(roomId);
      if (streams.get(roomId) !== stream) throw new UnusableInput('stream-removed', 'The stream was removed.');
      // The platform may have ended the session while it was being stored.
      if (sessions.find(roomId) !== session) throw new UnusableInput('session-ended', 'The session has ended.');
      stream.set(readStreamPlan(roomId, answer.stream));
      return stream.attach(session, connection);
    } finally {
      openingRooms.delete(roomId);
    }
  }

  /** @throws UnusableInput if the platform refuses the encoder or does not respond */
  async function requestPublish(
    { roomId, callbackUrl }: StreamPlan,
    key: string,
    { address, connection }: EncoderRequest,
  ) {
    const body = { type: 'stream.publish', room_id: roomId, key, protocol: connection.protocol, address };
    const answer = await callbacks.request(callbackUrl, body, publishTimeoutMs).catch(() => {
      throw new UnusableInput('platform-unavailable', 'The platform does not respond. Try again in a minute.');
    });
    const { allow, session, stream } = answer;
    if (allow !== true || !isObject(session) || !isObject(stream)) {
      const message = typeof answer['message'] === 'string' ? answer['message'] : 'The stream was refused.';
      const refusal = new UnusableInput(typeof answer['code'] === 'string' ? answer['code'] : 'refused', message);
      refusals.add({ roomId, key, address }, refusal);
      throw refusal;
    }
    return { session, stream };
  }

  for (const name of await readdir(directory)) {
    const plan = name.endsWith('.json') ? await readJson<StreamPlan>(join(directory, name)) : null;
    if (!plan) continue;
    const stream = register(plan);
    const session = sessions.find(plan.roomId);
    if (session && session.liveSinceMs !== null) stream.resume(session);
    pull(plan);
  }
  sessions.setEncoderCheck((roomId) => (streams.get(roomId)?.state ?? 'idle') !== 'idle');
  sessions.onEnded(({ roomId }, reason) => {
    streams.get(roomId)?.end(reason);
    // A source is only fetched again when the platform requests it.
    if (reason !== 'encoder-left') pullers.get(roomId)?.pause();
  });
  const timer = setInterval(() => {
    const now = Date.now();
    for (const stream of streams.values()) stream.tick(now);
  }, tickMs);

  return {
    find: (roomId) => streams.get(roomId) ?? null,
    all: () => [...streams.values()],
    async set(plan) {
      await writeJson(fileOf(plan.roomId), plan);
      const stream = register(plan);
      pull(plan);
      return stream;
    },
    end(roomId, reason) {
      pullers.get(roomId)?.pause();
      streams.get(roomId)?.end(reason);
    },
    async remove(roomId) {
      await rm(fileOf(roomId), { force: true });
      pullers.get(roomId)?.close();
      pullers.delete(roomId);
      const stream = streams.get(roomId);
      stream?.set({ ...stream.plan, outputs: [], sourceUrl: null });
      stream?.end('removed');
      streams.delete(roomId);
    },
    async open(streamKey, address, connection) {
      const roomId = roomOf(streamKey);
      return await openInput(roomId, streamKey, { address, connection });
    },
    close() {
      clearInterval(timer);
      for (const puller of pullers.values()) puller.close();
      for (const stream of streams.values()) stream.suspend();
    },
  };
}

/** The room id of the key, with hyphens; an empty text if the key has none. */
function roomOf(streamKey: string): string {
  const [, a, b, c, d, e] =
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_/.exec(streamKey) ?? [];
  return a === undefined ? '' : [a, b, c, d, e].join('-');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
