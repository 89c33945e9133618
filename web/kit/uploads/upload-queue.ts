import type { DetailedError, Upload } from 'tus-js-client';
import { forgetUpload, interruptedUploads, rememberUpload, findInterruptedUpload } from './interrupted-uploads.ts';
import { type Sample, speedOf, withSample } from './remaining-time.ts';

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

export interface UploadTarget {
  readonly videoId: string;
  readonly url: string;
  readonly expiresAt: string;
}

/** The functions and texts that each page provides. */
export interface UploadServices {
  /** Creates the video of the file. */
  create(roomId: string, file: File): Promise<UploadTarget>;
  /** Deletes the video of an incomplete upload. */
  discard(videoId: string): Promise<void>;
  /** The sentence for an empty file. */
  readonly emptyFile: string;
  /** A sentence for a video that could not be created. */
  describeFailure(error: unknown): string;
  /** A sentence for a refusal of the media server; its status is undefined without an answer. */
  describeRefusal(status: number | undefined): string;
  /** A video was created, or its upload has ended. */
  onVideoChange(): void;
}

/** Sends files to media servers, one after the other, and resumes them after interruptions. */
export interface UploadQueue {
  uploads(): readonly QueuedUpload[];
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void;
  add(roomId: string, files: readonly File[]): void;
  pause(key: number): void;
  /** Continues a paused upload, or repeats a failed one. Received bytes are not sent again. */
  resume(key: number): void;
  /** Removes an upload from the list. Deletes the video of an incomplete upload. */
  remove(key: number): Promise<void>;
  /** Deletes the video of an upload that was interrupted by a reload. */
  discard(videoId: string): Promise<void>;
}

interface Run {
  readonly key: number;
  upload: Upload | null;
}

/** Whether the upload no longer exists on the media server. */
export function isGone(status: number | undefined): boolean {
  return status === 404 || status === 410;
}

/** "lesson_14.final.mp4" becomes "lesson 14.final". */
export function titleOf(fileName: string): string {
  const title = fileName
    .replace(/\.[^.]{1,5}$/, '')
    .replaceAll('_', ' ')
    .trim();
  return (title === '' ? fileName : title).slice(0, 150);
}

export function createUploadQueue(services: UploadServices): UploadQueue {
  let uploads: readonly QueuedUpload[] = [];
  let lastKey = 0;
  /** The upload that is sending. */
  let running: Run | null = null;
  /** The address of each upload, so that an upload that is paused immediately and resumed creates only one video. */
  const targets = new Map<number, Promise<UploadTarget>>();
  const listeners = new Set<() => void>();

  function add(roomId: string, files: readonly File[]): void {
    const newUploads = files.map((file): QueuedUpload => {
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
        failure: isEmpty ? services.emptyFile : null,
      };
    });
    setUploads([...uploads, ...newUploads]);
    startNext();
  }

  function pause(key: number): void {
    change(key, { state: 'paused', bytesPerSecond: null });
    if (running?.key !== key) return;
    void running.upload?.abort();
    running = null;
    startNext();
  }

  function resume(key: number): void {
    change(key, { state: 'waiting', failure: null });
    startNext();
  }

  async function remove(key: number): Promise<void> {
    const removed = uploads.find((upload) => upload.key === key);
    if (running?.key === key) {
      void running.upload?.abort();
      running = null;
    }
    setUploads(uploads.filter((upload) => upload.key !== key));
    startNext();
    if (removed?.videoId && removed.state !== 'done') await discard(removed.videoId);
  }

  async function discard(videoId: string): Promise<void> {
    forgetUpload(localStorage, videoId, Date.now());
    await services.discard(videoId);
    services.onVideoChange();
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
      if (!uploads.some((upload) => upload.key === key)) return await discard(target.videoId);
      change(key, { videoId: target.videoId });
      if (!isCurrent()) return;
      services.onVideoChange();
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
          finish(key, { state: 'failed', failure: services.describeRefusal(status), bytesPerSecond: null });
        },
      });
      run.upload = upload;
      upload.start();
    } catch (error) {
      if (isCurrent()) finish(key, { state: 'failed', failure: services.describeFailure(error), bytesPerSecond: null });
    }
  }

  async function targetOf({ key, roomId, file }: QueuedUpload): Promise<UploadTarget> {
    const target = targets.get(key) ?? findOrCreate(roomId, file);
    targets.set(key, target);
    target.catch(() => targets.delete(key));
    return await target;
  }

  /** Resumes the upload of the same file, or creates its video. */
  async function findOrCreate(roomId: string, file: File): Promise<UploadTarget> {
    const interrupted = findInterruptedUpload(interruptedUploads(localStorage, Date.now()), roomId, file);
    if (interrupted !== null) return interrupted;
    const target = await services.create(roomId, file);
    const { name: fileName, size: sizeBytes, lastModified } = file;
    rememberUpload(localStorage, { roomId, fileName, sizeBytes, lastModified, ...target }, Date.now());
    return target;
  }

  function finish(key: number, changes: Partial<QueuedUpload>): void {
    change(key, changes);
    if (running?.key === key) running = null;
    services.onVideoChange();
    startNext();
  }

  function change(key: number, changes: Partial<QueuedUpload>): void {
    setUploads(uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)));
  }

  function setUploads(next: readonly QueuedUpload[]): void {
    uploads = next;
    for (const listener of listeners) listener();
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return { uploads: () => uploads, subscribe, add, pause, resume, remove, discard };
}
