import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Callbacks } from '../callbacks.ts';
import { createKeyedQueue } from '../storage/keyed-queue.ts';
import { readJson, writeJson } from '../storage/json-file.ts';
import { printVideo, type VideoRecord } from './video.ts';

export interface VideoStore {
  find(videoId: string): VideoRecord | null;
  all(): VideoRecord[];
  directoryOf(videoId: string): string;
  /** Adds or finds a video. */
  add(video: VideoRecord): Promise<VideoRecord>;
  /** Stores the changes, then reports to the platform. Does nothing for a removed video. */
  change(video: VideoRecord, changes: Partial<VideoRecord>): Promise<void>;
  /** Like `change`, for progress, which is reported at most every two seconds and not stored. */
  changeProgress(video: VideoRecord, changes: Partial<VideoRecord>): void;
  remove(videoId: string): Promise<void>;
  /** The size of all files of the video. */
  storedBytes(videoId: string): Promise<number>;
}

const progressEveryMs = 2000;

/** The videos of this server. Each has a directory with a record, which is replaced atomically. */
export async function openVideoStore(dataDir: string, callbacks: Callbacks): Promise<VideoStore> {
  const root = join(dataDir, 'videos');
  await mkdir(root, { recursive: true });
  const videos = new Map<string, VideoRecord>();
  for (const name of await readdir(root)) {
    const record = await readJson<VideoRecord>(join(root, name, 'video.json'));
    if (record) videos.set(record.videoId, record);
    // Without a record, the video was being removed, or was never acknowledged.
    else await rm(join(root, name), { recursive: true, force: true });
  }
  const reportedAt = new Map<string, number>();
  const directoryOf = (videoId: string) => join(root, videoId);
  const enqueue = createKeyedQueue();
  const store = async (video: VideoRecord) =>
    await enqueue(video.videoId, async () => {
      if (videos.get(video.videoId) === video) await writeJson(join(directoryOf(video.videoId), 'video.json'), video);
    });

  function report(video: VideoRecord): void {
    reportedAt.set(video.videoId, Date.now());
    callbacks.report(video.callbackUrl, { type: 'video.changed', video: printVideo(video) });
  }

  return {
    find: (videoId) => videos.get(videoId) ?? null,
    all: () => [...videos.values()],
    directoryOf,
    async add(video) {
      const existing = videos.get(video.videoId);
      if (existing) return existing;
      videos.set(video.videoId, video);
      try {
        await store(video);
      } catch (error) {
        videos.delete(video.videoId);
        throw error;
      }
      return video;
    },
    async change(video, changes) {
      if (!videos.has(video.videoId)) return;
      Object.assign(video, changes);
      video.revision += 1;
      await store(video);
      report(video);
    },
    changeProgress(video, changes) {
      Object.assign(video, changes);
      if (Date.now() - (reportedAt.get(video.videoId) ?? 0) < progressEveryMs || !videos.has(video.videoId)) return;
      video.revision += 1;
      report(video);
    },
    async remove(videoId) {
      videos.delete(videoId);
      reportedAt.delete(videoId);
      await enqueue(videoId, async () => {
        // The record is deleted first: files without a record are removed at the next start.
        await rm(join(directoryOf(videoId), 'video.json'), { force: true });
        await rm(directoryOf(videoId), { recursive: true, force: true });
      });
    },
    storedBytes: (videoId) => sizeOf(directoryOf(videoId)),
  };
}

async function sizeOf(directory: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const stats = await stat(join(entry.parentPath, entry.name)).catch(() => null);
    sum += stats?.size ?? 0;
  }
  return sum;
}
