import type { FileHandle } from 'node:fs/promises';
import { type Disk, isDiskFull } from '../../storage/disk.ts';

/** Why nothing more is written. */
export type WriteProblem = 'disk-full' | 'disk-slow' | 'disk-error';

export interface FragmentWriter {
  /** Set after a failure; then nothing more is written. */
  readonly problem: WriteProblem | null;
  /** @returns whether the bytes were accepted */
  write(bytes: Buffer): boolean;
  /** Waits for running writes. @returns the size of the file; 0 if it was not created */
  close(): Promise<number>;
}

/** If more bytes are waiting, the disk is too slow. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Appends whole fragments to a file, so that it stays playable. It stops before it would use the reserve of the disk.
 */
export function createFragmentWriter(disk: Disk, openFile: () => Promise<FileHandle>): FragmentWriter {
  let file: FileHandle | null = null;
  let waitingBytes = 0;
  let size = 0;
  let problem: WriteProblem | null = null;
  let lastWrite: Promise<void> = Promise.resolve();

  async function append(bytes: Buffer): Promise<void> {
    if (problem) return;
    if (!(await disk.hasSpace(bytes.length))) {
      problem = 'disk-full';
      return;
    }
    file ??= await openFile();
    await file.appendFile(bytes);
    size += bytes.length;
  }

  return {
    get problem() {
      return problem;
    },
    write(bytes) {
      if (waitingBytes + bytes.length > maxWaitingBytes) problem ??= 'disk-slow';
      if (problem) return false;
      waitingBytes += bytes.length;
      lastWrite = lastWrite
        .then(() => append(bytes))
        .catch((error: unknown) => void (problem ??= isDiskFull(error) ? 'disk-full' : 'disk-error'))
        .finally(() => (waitingBytes -= bytes.length));
      return true;
    },
    async close() {
      await lastWrite;
      // Removes the part of a fragment that was written before the disk was full.
      if (problem) await file?.truncate(size).catch(() => {});
      await file?.sync().catch(() => {});
      await file?.close();
      return size;
    },
  };
}
