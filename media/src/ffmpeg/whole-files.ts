import { open, readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** ffmpeg may ignore that the disk was full, and exit with 0. */
export class IncompleteFile extends Error {
  constructor(path: string) {
    super(`${path} was not written completely.`);
    this.name = 'IncompleteFile';
  }
}

/** Checks the media files below the directory. @throws IncompleteFile */
export async function requireWholeFiles(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) await requireWholeFile(join(entry.parentPath, entry.name));
  }
}

/** @throws IncompleteFile */
export async function requireWholeFile(path: string): Promise<void> {
  const check = checks[extname(path)];
  if (check && !(await check(path))) throw new IncompleteFile(path);
}

const checks: Readonly<Record<string, (path: string) => Promise<boolean>>> = {
  '.mp4': hasWholeBoxes,
  '.m4s': hasWholeBoxes,
  '.jpg': async (path) => (await readFile(path)).subarray(-2).toString('hex') === 'ffd9',
  '.m3u8': async (path) => (await readFile(path, 'utf8')).includes('#EXT-X-ENDLIST'),
};

/** Whether the boxes of an MP4 (ISO/IEC 14496-12, 4.2) end where the file does. */
async function hasWholeBoxes(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const header = Buffer.alloc(16);
    let offset = 0;
    while (offset < size) {
      const { bytesRead } = await file.read(header, 0, 16, offset);
      if (bytesRead < 8) return false;
      const size32 = header.readUInt32BE(0);
      const length = size32 === 1 && bytesRead === 16 ? Number(header.readBigUInt64BE(8)) : size32;
      if (length < 8) return false;
      offset += length;
    }
    return size > 0 && offset === size;
  } finally {
    await file.close();
  }
}
