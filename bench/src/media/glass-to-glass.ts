import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import type { Programs } from '../../../media/src/ffmpeg/locate.ts';
import { median } from '../measure/median.ts';
import { type Encoder, encoderOf } from './ffmpeg.ts';
import type { MediaServer } from './media-server.ts';

export interface LatencyFigures {
  /** The time from sending a picture to the encoder until it is shown. */
  readonly medianMs: number;
  readonly p95Ms: number;
  /** The time from opening the page until the first picture is shown. */
  readonly firstPictureMs: number;
}

const width = 320;
const height = 180;
const fps = 25;
/** The number of a picture is drawn in binary, as black and white squares. */
const bitCount = 16;
const squareSize = width / bitCount;

/** Sends numbered pictures with a tone in real time. @returns when each picture was sent to the encoder */
function sendNumberedPictures(
  { ffmpeg }: Programs,
  address: string,
): { readonly encoder: Encoder; readonly sentAtMs: ReadonlyMap<number, number> } {
  const input = `-v error -f rawvideo -pix_fmt gray -s ${width}x${height} -r ${fps} -i pipe:0 -f lavfi -re -i sine=frequency=440:sample_rate=48000`;
  const coding = `-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -g ${fps} -b:v 600k -c:a aac -b:a 64k -flush_packets 1 -f flv`;
  const child = spawn(ffmpeg.path, [...`${input} ${coding}`.split(' '), address], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.on('error', () => {});
  const sentAtMs = new Map<number, number>();
  const startedMs = performance.now();
  let number = 0;
  const timer = setInterval(() => {
    for (; number * (1000 / fps) <= performance.now() - startedMs; number++) {
      sentAtMs.set(number, Date.now());
      child.stdin.write(drawPicture(number));
    }
  }, 5);
  const { stop } = encoderOf(child);
  return {
    sentAtMs,
    encoder: {
      stop: async () => {
        clearInterval(timer);
        await stop();
      },
    },
  };
}

function drawPicture(number: number): Buffer {
  const picture = Buffer.alloc(width * height, 128);
  for (let bit = 0; bit < bitCount; bit++) {
    const brightness = (number >> bit) & 1 ? 235 : 16;
    for (let row = 0; row < squareSize * 2; row++)
      picture.fill(brightness, row * width + bit * squareSize, row * width + (bit + 1) * squareSize);
  }
  return picture;
}

const renderPage = (script: string, source: string) => `<!doctype html><title>Bench</title>
<video muted autoplay playsinline width="${width}" height="${height}"></video><canvas width="${width}" height="${height}"></canvas>
<script>${script}</script>
<script>
  const video = document.querySelector('video');
  const context = document.querySelector('canvas').getContext('2d', { willReadFrequently: true });
  window.seen = [];
  const readPicture = () => {
    context.drawImage(video, 0, 0, ${width}, ${height});
    const { data } = context.getImageData(0, ${squareSize}, ${width}, 1);
    let number = 0;
    for (let bit = 0; bit < ${bitCount}; bit++) if (data[(bit * ${squareSize} + ${squareSize / 2}) * 4] > 128) number |= 1 << bit;
    window.seen.push([number, Date.now()]);
    video.requestVideoFrameCallback(readPicture);
  };
  video.requestVideoFrameCallback(readPicture);
  const hls = new Hls({ maxLiveSyncPlaybackRate: 1.1 });
  hls.loadSource(${JSON.stringify(source)});
  hls.attachMedia(video);
</script>`;

/** Plays a live stream with hls.js and the settings of the watch page, and reads the numbers from its pictures. */
export async function measureLatency(
  { media, programs, browser }: LatencyContext,
  latencyMode: 'normal' | 'low',
  seconds: number,
): Promise<LatencyFigures> {
  const { roomId, address } = await media.createStream({ latency_mode: latencyMode });
  const { encoder, sentAtMs } = sendNumberedPictures(programs, address);
  try {
    const source = `${await waitUntilPlayable(media, roomId)}/live/master.m3u8`;
    const library = createRequire(import.meta.url).resolve('hls.js/dist/hls.min.js');
    const html = renderPage(await readFile(library, 'utf8'), source);
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(html),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const tab = await browser.newPage();
    const openedMs = Date.now();
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await tab.waitForTimeout(seconds * 1000);
    const seen = await tab.evaluate(() => (window as unknown as { seen: [number, number][] }).seen);
    await tab.close();
    server.close();
    // Only the second half: by then, the player has a stable distance from the live edge.
    const secondHalf = seen.slice(Math.floor(seen.length / 2));
    const delays = secondHalf.flatMap(([number, shownMs]) => {
      const sentMs = sentAtMs.get(number);
      return sentMs === undefined ? [] : [shownMs - sentMs];
    });
    delays.sort((one, other) => one - other);
    return {
      medianMs: median(delays),
      p95Ms: delays[Math.floor(delays.length * 0.95)] ?? Number.NaN,
      firstPictureMs: (seen[0]?.[1] ?? Number.NaN) - openedMs,
    };
  } finally {
    await encoder.stop();
  }
}

export interface LatencyContext {
  readonly media: MediaServer;
  readonly programs: Programs;
  readonly browser: Browser;
}

/** Waits until players can begin. @returns the address of the room's media */
async function waitUntilPlayable(media: MediaServer, roomId: string): Promise<string> {
  for (const until = Date.now() + 20_000; Date.now() < until;) {
    const { state } = await media.call('GET', `/v1/streams/${roomId}`);
    if (state === 'live') {
      const base = await media.playbackUrl(roomId);
      const playlist = await fetch(`${base}/live/source/index.m3u8`);
      if (playlist.ok && (await playlist.text()).includes('#EXTINF')) return base;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('The live stream did not begin.');
}
