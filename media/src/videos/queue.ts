import { UnusableFile } from '../ffmpeg/probe.ts';
import { NotAllowed, type Processing, processVideo } from './process-video.ts';
import type { VideoRecord } from './video.ts';

export interface VideoQueue {
  readonly running: number;
  readonly queued: number;
  /** Starts waiting videos while there is capacity. */
  wake(): void;
  /** Cancels the processing of the video, if it is running. */
  cancel(videoId: string): Promise<void>;
  close(): Promise<void>;
}

/** The retry delay after a temporary failure. */
const retryDelaysMs = [2000, 10_000, 30_000, 120_000, 600_000];

/**
 * Processes several videos at the same time. The room that was served longest ago comes first, so that one room with a
 * thousand uploads does not delay the others.
 */
export function createVideoQueue(processing: Processing, maxRunning: number): VideoQueue {
  const { videos } = processing;
  const running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  const servedAt = new Map<string, number>();
  const attempts = new Map<string, { readonly count: number; readonly dueMs: number }>();
  const timers = new Set<NodeJS.Timeout>();
  let isClosed = false;

  const isWaiting = (video: VideoRecord) =>
    (video.state === 'queued' || video.state === 'processing') &&
    !running.has(video.videoId) &&
    (attempts.get(video.videoId)?.dueMs ?? 0) <= Date.now();

  function findNext(): VideoRecord | undefined {
    return videos
      .all()
      .filter(isWaiting)
      .toSorted(
        (a, b) =>
          (servedAt.get(a.roomId) ?? 0) - (servedAt.get(b.roomId) ?? 0) || (a.queuedAtMs ?? 0) - (b.queuedAtMs ?? 0),
      )[0];
  }

  function wake(): void {
    if (isClosed) return;
    while (running.size < maxRunning) {
      const video = findNext();
      if (!video) return;
      servedAt.set(video.roomId, Date.now());
      const controller = new AbortController();
      const done = run(video, controller.signal).finally(() => {
        running.delete(video.videoId);
        wake();
      });
      running.set(video.videoId, { controller, done });
    }
  }

  async function run(video: VideoRecord, signal: AbortSignal): Promise<void> {
    try {
      await processVideo(processing, video, signal);
      attempts.delete(video.videoId);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof UnusableFile || error instanceof NotAllowed) {
        attempts.delete(video.videoId);
        const failure = { code: error.code, message: error.message };
        const storedBytes = await videos.storedBytes(video.videoId).catch(() => 0);
        await videos.change(video, { state: 'failed', failure, storedBytes }).catch(() => {});
      } else postpone(video);
    }
  }

  function postpone({ videoId }: VideoRecord): void {
    const count = attempts.get(videoId)?.count ?? 0;
    const waitMs = retryDelaysMs[Math.min(count, retryDelaysMs.length - 1)] ?? 600_000;
    attempts.set(videoId, { count: count + 1, dueMs: Date.now() + waitMs });
    const timer = setTimeout(() => {
      timers.delete(timer);
      wake();
    }, waitMs + 10);
    timers.add(timer);
  }

  return {
    get running() {
      return running.size;
    },
    get queued() {
      return videos.all().filter(({ state }) => state === 'queued').length;
    },
    wake,
    async cancel(videoId) {
      const job = running.get(videoId);
      job?.controller.abort();
      await job?.done;
    },
    async close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      for (const { controller } of running.values()) controller.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
