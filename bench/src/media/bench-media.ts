import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Programs } from '../../../media/src/ffmpeg/locate.ts';
import { median } from '../measure/median.ts';
import { printLine } from '../measure/print-line.ts';
import { clipArguments, findPrograms, passThroughVideoOptions, runFfmpeg, sendClip } from './ffmpeg.ts';
import { measureLatency } from './glass-to-glass.ts';
import { type MediaServer, startMediaServer } from './media-server.ts';
import { loadPart, fetchNewestPart, startBarePart, startNginx } from './origin.ts';
import { measureStreams } from './stream-cost.ts';
import { type ByHandFigures, megabytes, transcode, transcodeByHand, type TranscodingFigures } from './transcoding.ts';

export interface MediaBench {
  readonly folder: string;
  /** This program. It also contains the bare handler. */
  readonly program: string;
  readonly rounds: number;
  readonly seconds: number;
}

interface Bench extends MediaBench {
  readonly programs: Programs;
  readonly media: MediaServer;
}

const goals = { transcoding: 1.05, origin: 0.7 };
const clipSeconds = 30;

/** Measures the media server, in a process of its own, with ffmpeg as encoder and Chromium as viewer. */
export async function benchMedia(options: MediaBench): Promise<void> {
  const programs = await findPrograms();
  printLine(`ffmpeg ${programs.ffmpeg.version}, ${options.rounds} rounds.\n`);
  const media = await startMediaServer(join(options.folder, 'media'));
  const bench = { ...options, programs, media };
  try {
    await benchTranscoding(bench);
    await benchOrigin(bench);
    await benchStreams(bench);
    await benchLatency(bench);
  } finally {
    await media.stop();
  }
}

async function benchTranscoding({ programs, media, folder, rounds }: Bench): Promise<void> {
  const clips = [
    { name: 're-encoded (MPEG-4 720p)', file: 'encoded.mp4', coding: '-c:v mpeg4 -q:v 4 -g 50' },
    { name: 'not re-encoded (H.264 720p)', file: 'kept.mp4', coding: passThroughVideoOptions },
  ];
  for (const { name, file, coding } of clips) {
    const clip = join(folder, file);
    await runFfmpeg(programs, clipArguments(clipSeconds, coding, clip), folder);
    const transcodings: TranscodingFigures[] = [];
    const byHand: ByHandFigures[] = [];
    // Alternately, so that other work on the machine affects both alike.
    for (let round = 0; round < rounds; round++) {
      transcodings.push(await transcode(media, clip, clipSeconds));
      if (file === 'encoded.mp4') byHand.push(await transcodeByHand(programs, { clip, clipSeconds, folder }));
    }
    const medianOf = (read: (figures: TranscodingFigures) => number) => median(transcodings.map(read));
    printLine(`A video of ${clipSeconds} s and ${(await megabytes(clip)).toFixed(1)} MB, ${name}`);
    printLine(`  playable ${medianOf(({ playableSeconds }) => playableSeconds).toFixed(2)} s after the upload`);
    printLine(`  all renditions ${medianOf(({ readySeconds }) => readySeconds).toFixed(2)} s after the upload`);
    printLine(`  ${medianOf(({ cpu }) => cpu).toFixed(3)} s of CPU for each second`);
    if (byHand.length === 0) continue;
    const byHandSeconds = median(byHand.map(({ sequence }) => sequence));
    const ratio = median(byHand.map(({ sequence }, round) => (transcodings[round]?.cpu ?? Number.NaN) / sequence));
    printLine(
      `  ${byHandSeconds.toFixed(3)} s by the same commands run by hand: ratio ${ratio.toFixed(2)}; ${reachedText(ratio <= goals.transcoding)} (at most ${goals.transcoding})`,
    );
    printLine(
      `  ${median(byHand.map(({ oneRun }) => oneRun)).toFixed(3)} s by one command for all renditions, without poster and previews`,
    );
  }
}

async function benchOrigin({ programs, media, folder, program, rounds, seconds }: Bench): Promise<void> {
  const { roomId, address } = await media.createStream();
  const encoder = sendClip(programs, join(folder, 'kept.mp4'), address);
  const nginx = await startNginx(folder);
  const figures = { media: [] as number[], bare: [] as number[], nginx: [] as number[] };
  let bytes = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      const part = await fetchNewestPart(media, roomId);
      bytes = part.bytes.length;
      const file = join(folder, 'part.m4s');
      await writeFile(file, part.bytes);
      // A part leaves the memory after about 16 seconds.
      const maxSeconds = Math.min(seconds, 5);
      figures.media.push((await loadPart(part.url, maxSeconds)).perSecond);
      const bare = await startBarePart(program, file, folder);
      figures.bare.push((await loadPart(`${bare.url}/part.m4s`, maxSeconds)).perSecond);
      await bare.stop();
      if (nginx) figures.nginx.push((await loadPart(`${nginx.url}/part.m4s`, maxSeconds)).perSecond);
    }
  } finally {
    await nginx?.stop();
    await encoder.stop();
  }
  const ratioTo = (references: readonly number[]) =>
    median(references.map((reference, round) => (figures.media[round] ?? Number.NaN) / reference));
  const ratio = ratioTo(figures.bare);
  printLine(`\nParts of a live stream, about ${(bytes / 1000).toFixed(0)} kB each`);
  printLine(`  media server ${median(figures.media).toFixed(0)}/s`);
  printLine(
    `  bare handler ${median(figures.bare).toFixed(0)}/s: ratio ${ratio.toFixed(2)}; ${reachedText(ratio >= goals.origin)} (at least ${goals.origin})`,
  );
  printLine(
    nginx
      ? `  nginx, one worker ${median(figures.nginx).toFixed(0)}/s: ratio ${ratioTo(figures.nginx).toFixed(2)}`
      : '  nginx is not installed',
  );
}

async function benchStreams({ programs, media, folder, seconds }: Bench): Promise<void> {
  const sink = await startMediaServer(join(folder, 'sink'));
  try {
    const harness = { media, sink, programs, clip: join(folder, 'kept.mp4') };
    const { perStream, perOutput } = await measureStreams(harness, Math.max(seconds, 5) * 2);
    printLine('\nA stream of 720p at 3 Mbit/s that is not re-encoded');
    for (const [name, { cpu, bytes }] of [
      ['each stream', perStream],
      ['each output', perOutput],
    ] as const)
      printLine(`  ${name}: ${(cpu * 100).toFixed(2)} % of a core, ${(bytes / 1e6).toFixed(1)} MB`);
  } finally {
    await sink.stop();
  }
}

async function benchLatency({ programs, media, seconds }: Bench): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
  try {
    printLine('\nFrom the encoder to the screen of a browser (hls.js as on the watch page)');
    for (const mode of ['low', 'normal'] as const) {
      const figures = await measureLatency({ media, programs, browser }, mode, Math.max(seconds, 5) * 4);
      const [medianText, p95Text, firstText] = [figures.medianMs, figures.p95Ms, figures.firstPictureMs].map((ms) =>
        (ms / 1000).toFixed(2),
      );
      printLine(
        `  ${mode} latency: median ${medianText} s, 95 % in ${p95Text} s; first picture ${firstText} s after the page was opened`,
      );
    }
  } finally {
    await browser.close();
  }
}

function reachedText(isReached: boolean): string {
  return isReached ? 'reached' : 'not reached';
}
