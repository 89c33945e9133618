import { statfs } from 'node:fs/promises';
import { Refusal } from '../http/answer.ts';

export interface Disk {
  /** @throws Refusal 507 if less than the reserve would be left */
  requireSpace(bytes: number): Promise<void>;
  /** Whether the reserve is left after this many bytes. */
  hasSpace(bytes?: number): Promise<boolean>;
  read(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;
}

/** @param reserveBytes stay free: running transcodes and the system need them */
export function watchDisk(dataDir: string, reserveBytes: number): Disk {
  async function read() {
    const { bavail, bsize, blocks } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }
  return {
    read,
    async requireSpace(bytes) {
      if ((await read()).freeBytes - bytes >= reserveBytes) return;
      throw diskFull();
    },
    async hasSpace(bytes = 0) {
      return (await read()).freeBytes - bytes >= reserveBytes;
    },
  };
}

export function diskFull(): Refusal {
  return new Refusal(507, 'disk-full', 'The disk of the media server is full.');
}

export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Whether the messages of a program say that the disk was full. */
export function saysDiskFull(stderr: string): boolean {
  return /No space left on device|Disk quota exceeded/.test(stderr);
}
