import { build } from 'esbuild';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { locatePrograms } from '../src/ffmpeg/locate.ts';
import { isSignatureValid, sign } from '../src/http/signature.ts';

export const secret = 'a secret of the media server';

export interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** A media server in its own process, and a platform that it calls. */
export interface MediaHarness {
  readonly url: () => string;
  /** The address for encoders. */
  readonly rtmpUrl: () => string;
  /** Empty without certificates. */
  readonly rtmpsUrl: () => string;
  readonly platform: Platform;
  readonly directory: string;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  kill(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  pid(): number;
  /** Advances the clock of the media server until the next restart. Timers and encoders are not affected. */
  advance(seconds: number): Promise<void>;
  /** Sets the addresses that successive lookups of a host name return. Further lookups return the last one. */
  setHosts(hosts: Readonly<Record<string, readonly string[]>>): Promise<void>;
  /** The addresses that the lookups of the host returned, in order. */
  lookupsOf(host: string): readonly string[];
  /** Kills the media server and starts it with the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly type?: string;
  readonly timestamp?: number;
  readonly nonce?: string;
  readonly secret?: string;
}

export interface Platform {
  readonly url: string;
  readonly calls: Record<string, unknown>[];
  /** Its response to requests of the media server; `{allow: true}` unless set. */
  answer: (call: Record<string, unknown>) => unknown;
}

/**
 * @param environment further variables
 * @param diskBytes the size of a separate disk in memory; null uses the disk of the system
 */
export async function startMediaProcess(
  environment: Readonly<Record<string, string>> = {},
  { diskBytes = null }: { readonly diskBytes?: number | null } = {},
): Promise<MediaHarness> {
  const directory = await mkdtemp(join(tmpdir(), 'foyer-media-'));
  const disk = diskBytes === null ? null : await mountDisk(directory, diskBytes);
  const bundle = join(root, 'node_modules/.cache', `foyer-media-test-${randomUUID()}`, 'main.js');
  await build({
    ...bundleOptions,
    entryPoints: [join(root, 'media/src/main.ts')],
    outfile: bundle,
    logLevel: 'error',
  });
  let aheadMs = 0;
  const lookups: { readonly lookup?: string; readonly address?: string }[] = [];
  const now = () => Date.now() + aheadMs;
  const { platform, close: closePlatform } = await startPlatform(now);
  let child: ChildProcess;
  let url = '';
  let rtmpUrl = '';
  let rtmpsUrl = '';

  async function start(): Promise<void> {
    aheadMs = 0;
    const [command, ...args] = disk ? [...disk.enter, process.execPath] : [process.execPath];
    child = spawn(command, [...args, bundle], {
      env: {
        PATH: process.env['PATH'],
        HOME: directory,
        NODE_OPTIONS: `--import=${new URL('controls.mjs', import.meta.url).href}`,
        FOYER_MEDIA_SECRET: secret,
        FOYER_MEDIA_PORT: '0',
        FOYER_MEDIA_RTMP_PORT: '0',
        FOYER_MEDIA_DATA_DIR: join(directory, 'data'),
        FOYER_MEDIA_DISK_RESERVE_GB: '0',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    child.on('message', (message: object) => void lookups.push(message));
    const { stdout } = child;
    if (!stdout) throw new Error('The process has no output.');
    for await (const line of createInterface(stdout)) {
      const ready = JSON.parse(line) as { media: string; rtmp: string; rtmps: string | null };
      [url, rtmpUrl, rtmpsUrl] = [ready.media, ready.rtmp, ready.rtmps ?? ''];
      return;
    }
    throw new Error('The media server did not start.');
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async function control(message: object): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onAnswer = (answer: object) => {
        if (!('isDone' in answer)) return;
        child.removeListener('message', onAnswer);
        resolve();
      };
      child.on('message', onAnswer);
      child.send(message, (error) => error && reject(error));
    });
  }

  await start();
  return {
    url: () => url,
    rtmpUrl: () => rtmpUrl,
    rtmpsUrl: () => rtmpsUrl,
    signal: (name) => void child.kill(name),
    pid: () => child.pid ?? 0,
    async advance(seconds) {
      aheadMs += seconds * 1000;
      await control({ advanceMs: seconds * 1000 });
    },
    setHosts: (hosts) => control({ hosts }),
    lookupsOf: (host) => lookups.flatMap(({ lookup, address = '' }) => (lookup === host ? [address] : [])),
    platform,
    directory: join(disk?.root ?? '/', directory, 'data'),
    async call(method, path, body, options = {}) {
      const content =
        body instanceof Uint8Array ? Buffer.from(body) : body === undefined ? null : Buffer.from(JSON.stringify(body));
      const timestamp = String(options.timestamp ?? Math.floor(now() / 1000));
      const nonce = options.nonce ?? randomBytes(16).toString('hex');
      const parts = { timestamp, nonce, method, path, body: content ?? Buffer.alloc(0) };
      const response = await fetch(`${url}${path}`, {
        method,
        ...(content && { body: content }),
        headers: {
          'content-type': options.type ?? 'application/json',
          'x-foyer-timestamp': timestamp,
          'x-foyer-nonce': nonce,
          'x-foyer-signature': sign(options.secret ?? secret, parts),
        },
      });
      const text = await response.text();
      return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
    },
    kill,
    async restart() {
      await kill();
      await start();
    },
    async close() {
      await kill();
      await closePlatform();
      await disk?.unmount();
      await rm(directory, { recursive: true, force: true });
      await rm(dirname(bundle), { recursive: true, force: true });
    },
  };
}

/** Mounts a file system in memory in a new mount namespace. This needs no root rights if user namespaces are enabled. */
async function mountDisk(directory: string, bytes: number) {
  const script = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && echo mounted && exec sleep infinity`;
  const holder = spawn('unshare', ['-r', '-m', 'sh', '-c', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])) as unknown[];
  if (String(output).trim() !== 'mounted') throw new Error('This system allows no mounts in user namespaces.');
  return {
    /** The command before a program that sees the disk. */
    enter: ['nsenter', '-t', String(holder.pid), '-U', '-m', '--preserve-credentials', '--'] as const,
    /** The root directory as such a program sees it. */
    root: `/proc/${holder.pid}/root`,
    async unmount() {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    },
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));

async function startPlatform(now: () => number): Promise<{ platform: Platform; close(): Promise<void> }> {
  const platform = { url: '', calls: [] as Record<string, unknown>[], answer: (): unknown => ({ allow: true }) };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const signed = {
        timestamp: String(request.headers['x-foyer-timestamp']),
        signature: String(request.headers['x-foyer-signature']),
        method: 'POST',
        path: request.url ?? '',
        body,
      };
      if (!isSignatureValid(secret, signed, now())) return void response.writeHead(401).end();
      const call = JSON.parse(body.toString()) as Record<string, unknown>;
      platform.calls.push(call);
      const answer = (platform as Platform).answer(call);
      if (answer === null) return void request.socket.destroy();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  platform.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks/media`;
  return {
    platform,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface TokenPayload {
  readonly r: string;
  readonly s?: string | null;
  readonly v?: string | null;
  readonly x?: number;
  readonly k?: readonly string[];
  readonly i?: string;
  readonly c?: string;
}

/** Creates a playback token as the platform does. */
export function playbackToken({ r, s = null, v = null, x, k = ['play'], i, c }: TokenPayload, key = secret): string {
  const expires = x ?? Math.floor(Date.now() / 1000) + 600;
  const payload = { r, s, v, n: 'Anna', o: 'guest', x: expires, k, ...(i && { i }), ...(c && { c }) };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  const derived = createHmac('sha256', key).update('foyer-media playback v1').digest();
  return `${text}.${createHmac('sha256', derived).update(text).digest('base64url')}`;
}

const run = promisify(execFile);
const programs = locatePrograms({ ffmpegPath: null, ffprobePath: null });

/** @param words the arguments, with one space between them @param paths further arguments at their end */
export async function ffmpeg(words: string, ...paths: readonly string[]): Promise<void> {
  const { path } = (await programs).ffmpeg;
  await run(path, ['-v', 'error', '-y', ...words.split(' '), ...paths]);
}

/** Creates a clip from ffmpeg's test sources. */
export async function makeClip(
  directory: string,
  { seconds = 3, size = '320x180', name = `${randomUUID()}.mp4`, options = '-g 50' } = {},
): Promise<Buffer> {
  const path = join(directory, name);
  const sources = `-f lavfi -i testsrc2=size=${size}:rate=25 -f lavfi -i sine=frequency=440 -t ${seconds}`;
  await ffmpeg(`${sources} -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac ${options}`, path);
  return await readFile(path);
}

/** The streams that ffprobe finds at an address. */
export async function probeUrl(url: string): Promise<{ streams: { codec_type: string; height?: number }[] }> {
  const { path } = (await programs).ffprobe;
  const { stdout } = await run(path, ['-v', 'error', '-of', 'json', '-show_streams', url]);
  return JSON.parse(stdout) as { streams: { codec_type: string; height?: number }[] };
}
