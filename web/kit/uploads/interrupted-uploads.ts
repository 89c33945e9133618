/** An upload that can be resumed after a reload, when the user chooses the same file again. */
export interface InterruptedUpload {
  readonly roomId: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly lastModified: number;
  readonly videoId: string;
  /** The upload URL. It accepts only the rest of this file. */
  readonly url: string;
  readonly expiresAt: string;
}

type FileLike = Pick<File, 'name' | 'size' | 'lastModified'>;

const key = 'foyer-uploads';

/** The stored uploads that have not expired. */
export function interruptedUploads(storage: Storage, nowMs: number): InterruptedUpload[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? '[]');
    return (Array.isArray(stored) ? (stored as InterruptedUpload[]) : []).filter(
      ({ expiresAt }) => Date.parse(expiresAt) > nowMs,
    );
  } catch {
    return [];
  }
}

export function rememberUpload(storage: Storage, upload: InterruptedUpload, nowMs: number): void {
  write(storage, [...interruptedUploads(storage, nowMs).filter(({ videoId }) => videoId !== upload.videoId), upload]);
}

export function forgetUpload(storage: Storage, videoId: string, nowMs: number): void {
  write(
    storage,
    interruptedUploads(storage, nowMs).filter((upload) => upload.videoId !== videoId),
  );
}

/** The interrupted upload of the same file into the same room. */
export function findInterruptedUpload(
  uploads: readonly InterruptedUpload[],
  roomId: string,
  file: FileLike,
): InterruptedUpload | null {
  return (
    uploads.find(
      (upload) =>
        upload.roomId === roomId &&
        upload.fileName === file.name &&
        upload.sizeBytes === file.size &&
        upload.lastModified === file.lastModified,
    ) ?? null
  );
}

function write(storage: Storage, uploads: readonly InterruptedUpload[]): void {
  try {
    storage.setItem(key, JSON.stringify(uploads));
  } catch {
    // Without storage, an upload can be paused and resumed, but not after a reload.
  }
}
