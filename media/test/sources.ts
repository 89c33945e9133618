import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { locatePrograms } from '../src/ffmpeg/locate.ts';
import type { Certificate } from './certificate.ts';

/** A stream that a media server can pull. */
export interface Source {
  readonly url: string;
  close(): Promise<void>;
}

const pictures = '-re -f lavfi -i testsrc2=size=320x180:rate=25 -re -f lavfi -i sine=frequency=440:sample_rate=48000';
const h264 = '-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -b:v 300k -g 25';
const aac = '-c:a aac -b:a 64k';

async function encode(output: string): Promise<ChildProcess> {
  const { path } = (await locatePrograms({ ffmpegPath: null, ffprobePath: null })).ffmpeg;
  return spawn(path, `-v error -nostdin ${pictures} -t 120 ${output}`.split(' '), { stdio: 'ignore' });
}

async function waitForFile(path: string): Promise<void> {
  await vi.waitFor(async () => await access(path), { timeout: 20_000 });
}

async function stop(encoder: ChildProcess): Promise<void> {
  if (encoder.exitCode !== null || encoder.signalCode !== null) return;
  encoder.kill('SIGKILL');
  await once(encoder, 'exit');
}

interface HlsAnswer {
  readonly text?: string;
  readonly redirect?: string;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

/** Starts ffmpeg as an RTMP server for one reader. */
export async function startRtmpSource(): Promise<Source> {
  const server = createServer();
  const url = `rtmp://127.0.0.1:${await listen(server)}/live/source`;
  server.close();
  await once(server, 'close');
  const encoder = await encode(`${h264} ${aac} -listen 1 -f flv ${url}`);
  return { url, close: () => stop(encoder) };
}

/** Starts ffmpeg as an SRT listener for one reader. */
export async function startSrtSource(): Promise<Source> {
  const url = `srt://127.0.0.1:${await freeUdpPort()}`;
  const encoder = await encode(`${h264} ${aac} -f mpegts ${url}?mode=listener`);
  return { url, close: () => stop(encoder) };
}

/** @param answer returns a playlist or a redirect for a path, or null to send the file of ffmpeg */
export async function startHlsSource(
  { cert, key }: Certificate,
  answer: (path: string) => HlsAnswer | null = () => null,
): Promise<Source> {
  const directory = await mkdtemp(join(tmpdir(), 'foyer-hls-'));
  const encoder = await encode(
    `${h264} ${aac} -f hls -hls_time 1 -hls_list_size 6 -hls_flags delete_segments ${directory}/index.m3u8`,
  );
  await waitForFile(join(directory, 'index.m3u8'));
  const server: HttpsServer = createHttpsServer(
    { cert: await readFile(cert), key: await readFile(key) },
    ({ url = '' }, response) => {
      const override = answer(url);
      if (override)
        return void response
          .writeHead(override.redirect ? 302 : 200, { location: override.redirect ?? '' })
          .end(override.text);
      readFile(join(directory, url.slice(1))).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    },
  );
  return {
    url: `https://localhost:${await listen(server)}/index.m3u8`,
    async close() {
      await stop(encoder);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(directory, { recursive: true });
    },
  };
}

async function listen(server: ReturnType<typeof createServer> | HttpsServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Starts an RTSP server (RFC 2326) that sends the packets of ffmpeg in the connection of the reader, like a camera behind
 * a firewall.
 *
 * @param redirect the address to which every reader is redirected
 */
export async function startRtspSource({ redirect }: { readonly redirect?: string } = {}): Promise<Source> {
  const directory = await mkdtemp(join(tmpdir(), 'foyer-rtsp-'));
  const readers = new Set<Socket>();
  const tracks = await Promise.all([openTrack(readers, 0), openTrack(readers, 2)]);
  const [video = 0, audio = 0] = tracks.map((track) => track.address().port);
  // The description contains the settings of the decoder.
  const target = (port: number) => `-flags +global_header -f rtp rtp://127.0.0.1:${port}?pkt_size=1200`;
  const encoder = await encode(
    `-sdp_file ${directory}/sdp -map 0:v ${h264} ${target(video)} -map 1:a ${aac} ${target(audio)}`,
  );
  await waitForFile(join(directory, 'sdp'));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => void (sockets.delete(socket), readers.delete(socket)));
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const [request] = text.split('\r\n\r\n');
      if (request === undefined || !text.includes('\r\n\r\n')) return;
      text = '';
      void answerRtsp(socket, request, { sdp: join(directory, 'sdp'), redirect }).then(
        (isPlaying) => isPlaying && readers.add(socket),
      );
    });
  });
  const port = await listen(server);
  return {
    url: `rtsp://127.0.0.1:${port}/camera`,
    async close() {
      await stop(encoder);
      for (const track of tracks) track.close();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      await rm(directory, { recursive: true });
    },
  };
}

/** Sends the RTP packets of a track to the readers, interleaved (RFC 2326, 10.12). */
async function openTrack(readers: ReadonlySet<Socket>, channel: number): Promise<UdpSocket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket.on('message', (packet) => {
    const header = Buffer.from([0x24, channel, packet.length >>> 8, packet.length & 0xff]);
    for (const reader of readers) reader.write(Buffer.concat([header, packet]));
  });
}

interface RtspOptions {
  /** The file that ffmpeg writes. */
  readonly sdp: string;
  readonly redirect: string | undefined;
}

/** @returns whether the reader gets packets from now on */
async function answerRtsp(socket: Socket, request: string, { sdp, redirect }: RtspOptions): Promise<boolean> {
  const [, method = '', number = ''] = /^(\w+)[^]*^CSeq: *(\d+)/im.exec(request) ?? [];
  const send = (status: string, headers: readonly string[] = [], body = '') =>
    socket.write([`RTSP/1.0 ${status}`, `CSeq: ${number}`, ...headers, '', body].join('\r\n'));
  if (method === 'OPTIONS') send('200 OK', ['Public: OPTIONS, DESCRIBE, SETUP, PLAY']);
  else if (redirect !== undefined) send('302 Found', [`Location: ${redirect}`]);
  else if (method === 'DESCRIBE') {
    let track = 0;
    const text = await readFile(sdp, 'utf8');
    const body = text.replace(/^(m=\w+) \d+(.*)$/gm, (_line, media: string, rest: string) => {
      return `${media} 0${rest.trimEnd()}\r\na=control:track${track++}\r`;
    });
    send('200 OK', ['Content-Type: application/sdp', `Content-Length: ${Buffer.byteLength(body)}`], body);
  } else if (method === 'SETUP') {
    const channels = /interleaved=(\d+-\d+)/.exec(request)?.[1] ?? '0-1';
    send('200 OK', ['Session: 1', `Transport: RTP/AVP/TCP;unicast;interleaved=${channels}`]);
  } else if (method === 'PLAY') send('200 OK', ['Session: 1', 'Range: npt=0-']);
  else if (method !== '') send('200 OK', ['Session: 1']);
  return method === 'PLAY';
}
