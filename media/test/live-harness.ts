import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { locatePrograms } from '../src/ffmpeg/locate.ts';
import { expect } from 'vitest';
import { type MediaHarness, playbackToken } from './harness.ts';

export type Json = Record<string, unknown>;

/** A room whose stream is registered with the media server. */
export interface LiveRoom {
  readonly id: string;
  readonly key: string;
  /** The response of the platform to its encoder; null for no response. */
  answer: Json | null;
  /** The body with which the platform registers the stream. */
  readonly plan: Json;
  state(): Promise<Json>;
  /** Waits until the stream has these members in its state. @returns the state */
  waitForState(members: Json): Promise<Json>;
  /** The base address of playback for a viewer. */
  play(options?: { readonly viewerId?: string }): Promise<string>;
}

const roomsOfServers = new WeakMap<MediaHarness, Map<string, LiveRoom>>();

/** @param changes the changes to the plan, which by default is a live room with viewers and low latency */
export async function createLiveRoom(media: MediaHarness, changes: Json = {}): Promise<LiveRoom> {
  const id = randomUUID();
  const plan: Json = {
    service_type: 'live',
    callback_url: media.platform.url,
    latency_mode: 'low',
    dvr_minutes: 0,
    record: false,
    ladder: [],
    max_bitrate_kbps: null,
    max_duration_minutes: null,
    source: null,
    outputs: [],
    has_viewers: true,
    allow_private_addresses: true,
    ...changes,
  };
  const session = {
    service_type: 'live',
    name: 'Concert',
    callback_url: media.platform.url,
    max_viewers: null,
    max_duration_minutes: null,
  };
  const state = async () => (await media.call('GET', `/v1/streams/${id}`)).json;
  const room: LiveRoom = {
    id,
    key: `${id.replaceAll('-', '')}_secret-of-the-stream`,
    answer: { allow: true, session, stream: plan },
    plan,
    state,
    async waitForState(members) {
      await expect.poll(state, { timeout: 20_000 }).toMatchObject(members);
      return await state();
    },
    async play({ viewerId = randomUUID() } = {}) {
      const { json } = await media.call('GET', `/v1/sessions/${id}`);
      return `${media.url()}/play/${playbackToken({ r: id, s: String(json['session_id']), v: viewerId })}`;
    },
  };
  const rooms = roomsOfServers.get(media) ?? new Map<string, LiveRoom>();
  roomsOfServers.set(media, rooms.set(id, room));
  media.platform.answer = (call) => {
    const liveRoom = rooms.get(String(call['room_id']));
    if (call['type'] !== 'stream.publish' || !liveRoom) return { allow: true };
    if (call['protocol'] !== 'pull' && call['key'] !== liveRoom.key)
      return { allow: false, code: 'stream-key-wrong', message: 'The stream key is wrong.' };
    return liveRoom.answer;
  };
  const { status } = await media.call('PUT', `/v1/streams/${id}`, plan);
  if (status !== 200) throw new Error(`The stream was not registered: ${status}`);
  return room;
}

export interface Encoder {
  readonly process: ChildProcess;
  /** The exit code and the error output of the encoder. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
  stop(): Promise<void>;
}

const picture = 'testsrc2=size=320x180:rate=25';
const coding = '-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -b:v 300k';

/** Starts a real encoder: ffmpeg with its test sources, for two minutes. @param speed how many times faster than the clock */
export async function startEncoder(
  url: string,
  { source = picture, options = '-g 25', audio = '-c:a aac -b:a 64k', speed = 1 } = {},
): Promise<Encoder> {
  const { path } = (await locatePrograms({ ffmpegPath: null, ffprobePath: null })).ffmpeg;
  const sound = '-f lavfi -i sine=frequency=440:sample_rate=48000';
  // Old versions of ffmpeg cannot read faster than the clock, but stretch time: without sound, at five pictures a second.
  const args =
    speed === 1
      ? `-v error -nostdin -re -f lavfi -i ${source} ${sound} ${coding} ${options} ${audio} -t 120 -f flv`
      : `-v error -nostdin -re -f lavfi -i testsrc2=size=320x180:rate=${5 * speed} -vf setpts=${speed}*PTS -vsync vfr ${coding} -g 5 -t 120 -f flv`;
  const child = spawn(path, [...args.split(' '), url], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  const encoder: Encoder = {
    process: child,
    ended,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      runningEncoders.delete(encoder);
    },
  };
  runningEncoders.add(encoder);
  return encoder;
}

const runningEncoders = new Set<Encoder>();

/** Stops all encoders that the test file has started. */
export async function stopEncoders(): Promise<void> {
  await Promise.all([...runningEncoders].map((encoder) => encoder.stop()));
}
