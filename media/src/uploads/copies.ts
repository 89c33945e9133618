import { open, stat } from 'node:fs/promises';
import type { Disk } from '../storage/disk.ts';
import type { VideoRecord } from '../videos/video.ts';
import type { VideoStore } from '../videos/video-store.ts';
import type { Uploads } from './uploads.ts';

/** Videos whose files are copied from this or another media server, instead of being uploaded. */
export interface Copies {
  /** Copies the file of the video, if it is not being copied already. */
  start(videoId: string): void;
  cancel(videoId: string): Promise<void>;
  close(): Promise<void>;
}

export interface CopyServices {
  readonly videos: VideoStore;
  readonly uploads: Uploads;
  readonly disk: Disk;
}

const stallMs = 30_000;
const retryDelaysMs = [1000, 5000, 15_000, 60_000];

/** The source does not have the file any more. */
class SourceGone extends Error {}

/** A copy continues after the last stored byte, also after a restart, until the video expires. */
export function createCopies({ videos, uploads, disk }: CopyServices): Copies {
  const running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();

  async function copy(video: VideoRecord, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted && isUnfinished(video); attempt += 1) {
      try {
        await disk.requireSpace(video.sizeBytes - video.receivedBytes);
        await fetchRest(video, signal);
        return await uploads.complete(video.videoId);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof SourceGone) return await fail(video);
        await pause(retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)] ?? 60_000, signal);
      }
    }
  }

  async function fetchRest(video: VideoRecord, signal: AbortSignal): Promise<void> {
    const path = uploads.pathOf(video.videoId);
    const received = (await stat(path).catch(() => null))?.size ?? 0;
    if (received >= video.sizeBytes) return;
    const stalled = new AbortController();
    const stall = setTimeout(() => stalled.abort(), stallMs);
    const file = await open(path, 'a');
    try {
      const response = await fetch(video.sourceUrl ?? '', {
        headers: { range: `bytes=${received}-` },
        redirect: 'error',
        signal: AbortSignal.any([signal, stalled.signal]),
      });
      if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new SourceGone();
      if (response.status !== 206 || !response.body) throw new Error(`Status ${response.status}`);
      const range = `bytes ${received}-${video.sizeBytes - 1}/${video.sizeBytes}`;
      if (response.headers.get('content-range') !== range) throw new SourceGone();
      let offset = received;
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        stall.refresh();
        offset += chunk.length;
        if (offset > video.sizeBytes) throw new SourceGone();
        await file.writeFile(chunk);
        uploads.noteProgress(video.videoId, offset);
      }
      await file.sync();
      if (offset < video.sizeBytes) throw new Error('The connection ended early.');
    } finally {
      clearTimeout(stall);
      await file.close();
    }
  }

  async function fail(video: VideoRecord): Promise<void> {
    const failure = { code: 'source-gone', message: 'The recording to copy no longer exists.' };
    await uploads.remove(video.videoId);
    await videos.change(video, { state: 'failed', failure, receivedBytes: 0, storedBytes: 0 });
  }

  return {
    start(videoId) {
      const video = videos.find(videoId);
      if (!video || video.sourceUrl === null || !isUnfinished(video) || running.has(videoId)) return;
      const controller = new AbortController();
      const done = copy(video, controller.signal)
        .catch(() => {})
        .finally(() => running.delete(videoId));
      running.set(videoId, { controller, done });
    },
    async cancel(videoId) {
      const job = running.get(videoId);
      job?.controller.abort();
      await job?.done;
    },
    async close() {
      for (const { controller } of running.values()) controller.abort();
      await Promise.all(Array.from(running.values(), ({ done }) => done));
    },
  };
}

function isUnfinished({ state, expiresAtMs }: VideoRecord): boolean {
  return (state === 'awaiting-upload' || state === 'uploading') && Date.now() < expiresAtMs;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
