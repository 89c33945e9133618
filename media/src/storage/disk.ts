import { statfs } from 'node:fs/promises';
import { Refusal } from '../http/answer.ts';

export interface Disk {
  /** @throws Refusal 507 if less than the reserve would be left */
  requireSpace(bytes: number): Promise<void>;
  hasSpace(): Promise<boolean>;
  read(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;
}

/** @param reserveBytes stay free: transcodes, live streams and the system need them */
export function watchDisk(dataDir: string, reserveBytes: number): Disk {
  async function read() {
    const { bavail, bsize, blocks } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }
  return {
    read,
    async requireSpace(bytes) {
      if ((await read()).freeBytes - bytes >= reserveBytes) return;
      throw new Refusal(507, 'disk-full', 'The disk of the media server is full.');
    },
    async hasSpace() {
      return (await read()).freeBytes >= reserveBytes;
    },
  };
}
