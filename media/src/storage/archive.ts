import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ObjectStorage } from './s3.ts';

/** Finished media whose files are kept in object storage instead of the disk. */
export interface Archive {
  /** Null without object storage. */
  readonly storage: ObjectStorage | null;
  /** The key of a file of the media directory. */
  keyOf(path: string): string;
  /** Moves the files of finished media, also after a restart. A failure is tried again. */
  wake(): void;
  /** Deletes the stored files of the directory, if necessary after a restart. */
  remove(directory: string): Promise<void>;
  /** Why files cannot be moved now. */
  readonly problem: string | null;
  close(): Promise<void>;
}

export interface ArchiveOptions {
  readonly mediaDir: string;
  readonly storage: ObjectStorage | null;
  /** The directories of finished media. */
  readonly finished: () => Iterable<string>;
}

const checkEveryMs = 5000;
const maxConcurrentMoves = 4;

/** Records, posters and captions stay: they are small, and change. */
function isMoved(name: string): boolean {
  return !/^(?:video\.json|recording\.json|poster.*|captions[\\/].*|work-.*|.*\.draft|fragments\.mp4|draft\.mp4)$/.test(
    name,
  );
}

/**
 * Moves each file by itself: it is deleted on the disk once the storage has acknowledged it, so that a kill at any moment
 * leaves it in one place at least. Readers look on the disk first.
 */
export async function openArchive({ mediaDir, storage, finished }: ArchiveOptions): Promise<Archive> {
  const removals = join(mediaDir, 'storage-removals');
  if (storage) await mkdir(removals, { recursive: true });
  const moved = new Set<string>();
  let problem: string | null = null;
  let isClosed = false;
  let running: Promise<void> | null = null;
  const keyOf = (path: string) => relative(mediaDir, path).split(sep).join('/');

  async function move(to: ObjectStorage, directory: string): Promise<void> {
    const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const movable = paths.filter((path) => isMoved(relative(directory, path)));
    for (let index = 0; index < movable.length; index += maxConcurrentMoves) {
      if (isClosed) return;
      await Promise.all(
        movable.slice(index, index + maxConcurrentMoves).map(async (path) => {
          try {
            await to.put(keyOf(path), path);
          } catch (error) {
            // The media was deleted in the meantime.
            if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
          }
          await rm(path, { force: true });
        }),
      );
    }
    moved.add(directory);
  }

  async function run(to: ObjectStorage): Promise<void> {
    try {
      for (const directory of finished()) if (!isClosed && !moved.has(directory)) await move(to, directory);
      for (const name of await readdir(removals)) {
        if (isClosed) return;
        await to.removeAll(`${name.replace('.', '/')}/`);
        await rm(join(removals, name), { force: true });
      }
      problem = null;
    } catch {
      problem = 'The storage of the media server does not take files.';
    }
  }

  function wake(): void {
    if (!storage || isClosed) return;
    running ??= run(storage).finally(() => (running = null));
  }

  const timer = setInterval(wake, checkEveryMs);
  return {
    storage,
    keyOf,
    wake,
    async remove(directory) {
      if (!storage) return;
      moved.delete(directory);
      await writeFile(join(removals, keyOf(directory).replace('/', '.')), '');
      wake();
    },
    get problem() {
      return problem;
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}
