import { useSyncExternalStore } from 'react';
import type { DetailedError, Upload } from 'tus-js-client';
import { client, describeFailure, refreshEverything } from '../../../kit/api/client.ts';
import { forgetUpload, interruptedUploads, rememberUpload, uploadOf } from './interrupted-uploads.ts';
import { type Sample, speedOf, withSample } from './remaining-time.ts';
import { describeUploadFailure, isGone, titleOf } from './upload-words.ts';

export interface QueuedUpload {
  readonly key: number;
  readonly roomId: string;
  readonly file: File;
  readonly state: 'waiting' | 'uploading' | 'paused' | 'done' | 'failed';
  readonly videoId: string | null;
  readonly sentBytes: number;
  readonly bytesPerSecond: number | null;
  readonly failure: string | null;
}

interface Run {
  readonly key: number;
  upload: Upload | null;
}

interface Target {
  readonly videoId: string;
  readonly url: string;
}

/** Uploads go on while other screens are shown, one after the other. */
let uploads: readonly QueuedUpload[] = [];
let lastKey = 0;
/** The upload that is sending. */
let running: Run | null = null;
/** The address of each upload, so that an upload that is paused immediately and resumed creates only one video. */
const targets = new Map<number, Promise<Target>>();
const listeners = new Set<() => void>();

export function useUploads(): readonly QueuedUpload[] {
  return useSyncExternalStore(subscribe, () => uploads);
}

export function addUploads(roomId: string, files: readonly File[]): void {
  const added = files.map((file): QueuedUpload => {
    lastKey += 1;
    const isEmpty = file.size === 0;
    return {
      key: lastKey,
      roomId,
      file,
      state: isEmpty ? 'failed' : 'waiting',
      videoId: null,
      sentBytes: 0,
      bytesPerSecond: null,
      failure: isEmpty ? 'The file is empty.' : null,
    };
  });
  show([...uploads, ...added]);
  startNext();
}

export function pauseUpload(key: number): void {
  change(key, { state: 'paused', bytesPerSecond: null });
  if (running?.key !== key) return;
  void running.upload?.abort();
  running = null;
  startNext();
}

/** Continues a paused upload, or repeats a failed one. Received bytes are not sent again. */
export function resumeUpload(key: number): void {
  change(key, { state: 'waiting', failure: null });
  startNext();
}

/** Removes an upload from the list. Deletes the video of an incomplete upload. */
export async function removeUpload(key: number): Promise<void> {
  const removed = uploads.find((upload) => upload.key === key);
  if (running?.key === key) {
    void running.upload?.abort();
    running = null;
  }
  show(uploads.filter((upload) => upload.key !== key));
  startNext();
  if (removed?.videoId && removed.state !== 'done') await discardUpload(removed.videoId);
}

export async function discardUpload(videoId: string): Promise<void> {
  forgetUpload(localStorage, videoId, Date.now());
  await client.deleteVideo({ params: { video_id: videoId } });
  await refreshEverything();
}

function startNext(): void {
  if (running !== null) return;
  const next = uploads.find(({ state }) => state === 'waiting');
  if (next === undefined) return;
  running = { key: next.key, upload: null };
  void send(next, running);
}

async function send(queued: QueuedUpload, run: Run): Promise<void> {
  const { key, file } = queued;
  const isCurrent = () => running === run;
  change(key, { state: 'uploading' });
  try {
    const [target, { Upload: TusUpload }] = await Promise.all([targetOf(queued), import('tus-js-client')]);
    if (!uploads.some((upload) => upload.key === key)) return await discardUpload(target.videoId);
    change(key, { videoId: target.videoId });
    if (!isCurrent()) return;
    void refreshEverything();
    let samples: readonly Sample[] = [];
    const upload = new TusUpload(file, {
      uploadUrl: target.url,
      // The queue itself remembers the address.
      storeFingerprintForResuming: false,
      retryDelays: [0, 1000, 3000, 5000, 10_000, 20_000],
      onProgress(sentBytes) {
        if (!isCurrent()) return;
        samples = withSample(samples, { atMs: Date.now(), bytes: sentBytes });
        change(key, { sentBytes, bytesPerSecond: speedOf(samples) });
      },
      onSuccess() {
        forgetUpload(localStorage, target.videoId, Date.now());
        finish(key, { state: 'done', sentBytes: file.size, bytesPerSecond: null });
      },
      onError(error) {
        const status = (error as DetailedError).originalResponse?.getStatus();
        // The next try begins with a new video.
        if (isGone(status)) {
          targets.delete(key);
          forgetUpload(localStorage, target.videoId, Date.now());
        }
        finish(key, { state: 'failed', failure: describeUploadFailure(status), bytesPerSecond: null });
      },
    });
    run.upload = upload;
    upload.start();
  } catch (error) {
    if (isCurrent()) finish(key, { state: 'failed', failure: describeFailure(error), bytesPerSecond: null });
  }
}

async function targetOf({ key, roomId, file }: QueuedUpload): Promise<Target> {
  const target = targets.get(key) ?? findOrCreate(roomId, file);
  targets.set(key, target);
  target.catch(() => targets.delete(key));
  return await target;
}

/** Resumes the upload of the same file, or creates its video. */
async function findOrCreate(roomId: string, file: File): Promise<Target> {
  const interrupted = uploadOf(interruptedUploads(localStorage, Date.now()), roomId, file);
  if (interrupted !== null) return interrupted;
  const { data: video } = await client.createVideo({
    params: { room_id: roomId },
    body: { name: titleOf(file.name), size_bytes: file.size, content_type: file.type || null },
  });
  const { url = '', expires_at: expiresAt = '' } = video.upload ?? {};
  const { name: fileName, size: sizeBytes, lastModified } = file;
  const upload = { roomId, fileName, sizeBytes, lastModified, videoId: video.id, url, expiresAt };
  rememberUpload(localStorage, upload, Date.now());
  return upload;
}

function finish(key: number, changes: Partial<QueuedUpload>): void {
  change(key, changes);
  if (running?.key === key) running = null;
  void refreshEverything();
  startNext();
}

function change(key: number, changes: Partial<QueuedUpload>): void {
  show(uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)));
}

function show(next: readonly QueuedUpload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
