import { FileStore } from '@tus/file-store';
import { EVENTS, Server, Upload } from '@tus/server';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { diskFull, isDiskFull } from '../storage/disk.ts';
import { readJson } from '../storage/json-file.ts';
import type { VideoStore } from '../videos/video-store.ts';
import type { UploadGrant } from './upload-token.ts';

export interface Uploads {
  /** Creates the upload at offset 0, unless it exists. */
  prepare(videoId: string, sizeBytes: number): Promise<void>;
  /** Answers a request of the tus protocol. The caller has checked the token. */
  handle(grant: UploadGrant, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Moves the file of a complete upload, also of one that was completed before a restart. */
  complete(videoId: string): Promise<void>;
  /** The file with the received bytes. */
  pathOf(videoId: string): string;
  noteProgress(videoId: string, receivedBytes: number): void;
  remove(videoId: string): Promise<void>;
}

export const uploadsPath = '/uploads';

/** Uploads with tus 1.0. `prepare` creates each upload, and clients send its bytes to the address of the video. */
export async function openUploads(
  dataDir: string,
  videos: VideoStore,
  onComplete: (videoId: string) => void,
): Promise<Uploads> {
  const directory = join(dataDir, 'uploads');
  await mkdir(directory, { recursive: true });
  const store = new FileStore({ directory });
  const tus = new Server({
    path: uploadsPath,
    datastore: store,
    disableTerminationForFinishedUploads: true,
    getFileIdFromRequest: (request) => new URL(request.url).pathname.split('/')[2]?.split('.')[0],
    postReceiveInterval: 1000,
    onResponseError(_request, error) {
      if (!isDiskFull(error)) return undefined;
      const { status, code, message } = diskFull();
      return { status_code: status, body: JSON.stringify({ error: { code, message } }) };
    },
  });
  /** The video of each request. */
  const running = new Map<IncomingMessage, string>();
  tus.on(EVENTS.POST_RECEIVE, (_request, { id, offset }: Upload) => noteProgress(id, offset));

  function noteProgress(videoId: string, receivedBytes: number): void {
    const video = videos.find(videoId);
    if (!video || (video.state !== 'awaiting-upload' && video.state !== 'uploading')) return;
    videos.changeProgress(video, { state: 'uploading', receivedBytes });
  }

  async function complete(videoId: string): Promise<void> {
    const video = videos.find(videoId);
    if (!video || (video.state !== 'awaiting-upload' && video.state !== 'uploading')) return;
    const received = await stat(join(directory, videoId)).catch(() => null);
    if (received) noteProgress(videoId, received.size);
    const target = join(videos.directoryOf(videoId), 'source');
    if (received?.size === video.sizeBytes) await rename(join(directory, videoId), target);
    // The process may have been killed after the file was moved and before the state was stored.
    else if ((await stat(target).catch(() => null))?.size !== video.sizeBytes) return;
    await rm(join(directory, `${videoId}.json`), { force: true });
    try {
      await videos.change(video, { state: 'queued', receivedBytes: video.sizeBytes, queuedAtMs: Date.now() });
    } finally {
      // Also if the disk is full: the queue tries again until there is space.
      onComplete(videoId);
    }
  }

  return {
    async prepare(videoId, sizeBytes) {
      // Null also for a file that a crash left incomplete; its upload was not acknowledged.
      const begun = await readJson(join(directory, `${videoId}.json`));
      if (begun === null) await store.create(new Upload({ id: videoId, size: sizeBytes, offset: 0 }));
    },
    async handle({ videoId }, request, response) {
      running.set(request, videoId);
      try {
        await tus.handle(request, response);
      } finally {
        running.delete(request);
      }
      if (request.method === 'PATCH') await complete(videoId);
    },
    complete,
    pathOf: (videoId) => join(directory, videoId),
    noteProgress,
    async remove(videoId) {
      // A client that sends slowly would keep its connection and the space of the file.
      for (const [request, id] of running) if (id === videoId) request.destroy();
      await rm(join(directory, videoId), { force: true });
      await rm(join(directory, `${videoId}.json`), { force: true });
    },
  };
}
