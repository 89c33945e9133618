import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Refusal } from '../http/answer.ts';
import { replaceFile } from './json-file.ts';
import type { ObjectStorage } from './s3.ts';

/** Finished media whose files are kept in object storage. */
export interface Archive {
  /** Null without object storage. */
  readonly storage: ObjectStorage | null;
  /** The key of a file of the media directory. */
  keyOf(path: string): string;
  /** Stores the files of finished media, also after a restart. A failure is tried again. */
  wake(): void;
  /** Deletes the stored file, or the stored files of the directory, if necessary after a restart. */
  remove(path: string): Promise<void>;
  /**
   * Like `remove`, but first stores a marker, so that the media stays deleted if the disk is lost.
   * @throws Refusal 503 if the storage does not respond
   */
  removeMedia(directory: string): Promise<void>;
  /** Why files cannot be stored now. */
  readonly problem: string | null;
  close(): Promise<void>;
}

export interface FinishedMedia {
  readonly directory: string;
  /** Changes with its record, poster and captions. */
  readonly version: string;
}

export interface ArchiveOptions {
  readonly mediaDir: string;
  readonly storage: ObjectStorage | null;
  readonly listFinished: () => Iterable<FinishedMedia>;
}

const checkEveryMs = 5000;
const maxConcurrentMoves = 4;
/** The version of a directory that is in the storage. */
const versionFile = 'stored-version';
/** The directory of the removals that the storage has not confirmed. */
const removalsName = 'storage-removals';
/** Records have a prefix of their own, so that a server without its disk finds them. */
const recordsPrefix = 'records/';
/** Markers of deleted media, until their files are deleted. */
const removalsPrefix = 'removals/';

/** The drafts of a process that has not finished, and the file with the stored version. */
function isTemporary(name: string): boolean {
  return /^(?:work-.*|.*\.draft|poster-.*|fragments\.mp4|draft\.mp4|stored-version)$/.test(name);
}

function isRecord(name: string): boolean {
  return name === 'video.json' || name === 'recording.json';
}

/** Records, posters and captions are small and change, so they also stay on the disk. */
function staysOnDisk(name: string): boolean {
  return isRecord(name) || /^(?:poster\.jpg|captions[\\/].*)$/.test(name);
}

/**
 * Moves file by file: a file is deleted on the disk after the storage has acknowledged it, so that it exists in at least
 * one place if the process is killed. Readers look on the disk first.
 */
export async function openArchive({ mediaDir, storage, listFinished }: ArchiveOptions): Promise<Archive> {
  const removals = join(mediaDir, removalsName);
  if (storage) await mkdir(removals, { recursive: true });
  const versions = new Map<string, string>();
  let problem: string | null = null;
  let isClosed = false;
  let running: Promise<void> | null = null;
  const keyOf = (path: string) => relative(mediaDir, path).split(sep).join('/');

  async function isStored({ directory, version }: FinishedMedia): Promise<boolean> {
    const stored = versions.get(directory) ?? (await readFile(join(directory, versionFile), 'utf8').catch(() => null));
    if (stored !== null) versions.set(directory, stored);
    return stored === version;
  }

  async function storeMedia(target: ObjectStorage, { directory, version }: FinishedMedia): Promise<void> {
    const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const names = paths.map((path) => relative(directory, path)).filter((name) => !isTemporary(name));
    // The record is stored last, so that all files that it names are in the storage.
    const files = names.filter((name) => !isRecord(name));
    for (let index = 0; index < files.length; index += maxConcurrentMoves) {
      if (isClosed) return;
      await Promise.all(
        files.slice(index, index + maxConcurrentMoves).map((name) => storeFile(target, directory, name)),
      );
    }
    for (const name of names.filter(isRecord)) await storeFile(target, directory, name);
    try {
      await writeFile(join(directory, versionFile), version);
      versions.set(directory, version);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async function storeFile(target: ObjectStorage, directory: string, name: string): Promise<void> {
    const path = join(directory, name);
    try {
      await target.put(`${isRecord(name) ? recordsPrefix : ''}${keyOf(path)}`, path);
    } catch (error) {
      // The media was deleted in the meantime.
      if (!isMissing(error)) throw error;
    }
    if (!staysOnDisk(name)) await rm(path, { force: true });
  }

  async function storeAll(target: ObjectStorage): Promise<void> {
    try {
      // Removals first: captions that were deleted may have been added again.
      for (const name of await readdir(removals)) {
        if (isClosed) return;
        const key = decodeURIComponent(name);
        await target.removeAll(`${recordsPrefix}${key}`);
        await target.removeAll(key);
        await target.removeAll(`${removalsPrefix}${key}`);
        await rm(join(removals, name), { force: true });
      }
      for (const media of listFinished()) if (!isClosed && !(await isStored(media))) await storeMedia(target, media);
      problem = null;
    } catch {
      problem = 'The storage of the media server does not accept files.';
    }
  }

  function wake(): void {
    if (!storage || isClosed) return;
    running ??= storeAll(storage).finally(() => (running = null));
  }

  async function remove(path: string): Promise<void> {
    if (!storage) return;
    versions.delete(path);
    await writeFile(join(removals, encodeURIComponent(keyOf(path))), '');
    wake();
  }

  const timer = setInterval(wake, checkEveryMs);
  return {
    storage,
    keyOf,
    wake,
    remove,
    async removeMedia(directory) {
      await storage?.mark(`${removalsPrefix}${keyOf(directory)}`).catch(() => {
        throw new Refusal(503, 'storage-unavailable', 'The storage does not respond. Try again later.');
      });
      await remove(directory);
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

const maxConcurrentReads = 8;
const readTimeoutMs = 30_000;

/**
 * Reads the records of finished media from the storage, once for each disk: the media survives the loss of a disk.
 * @throws Error if the storage cannot be read
 */
export async function restoreRecords(mediaDir: string, storage: ObjectStorage): Promise<void> {
  const marker = join(mediaDir, 'records-restored');
  if (await exists(marker)) return;
  const removed = new Set((await storage.list(removalsPrefix)).map((key) => key.slice(removalsPrefix.length)));
  await mkdir(join(mediaDir, removalsName), { recursive: true });
  // The archive then deletes their files.
  for (const key of removed) await writeFile(join(mediaDir, removalsName, encodeURIComponent(key)), '');
  const names = (await storage.list(recordsPrefix)).flatMap((key) => {
    const [, name = '', directory = ''] =
      /^records\/((videos\/[0-9a-f-]{36}|recordings\/[0-9a-f-]{36})\/(?:video|recording)\.json)$/.exec(key) ?? [];
    return name === '' || removed.has(directory) ? [] : [name];
  });
  for (let index = 0; index < names.length; index += maxConcurrentReads)
    await Promise.all(
      names.slice(index, index + maxConcurrentReads).map((name) => restoreRecord(mediaDir, storage, name)),
    );
  await writeFile(marker, '');
}

async function restoreRecord(mediaDir: string, storage: ObjectStorage, name: string): Promise<void> {
  const path = join(mediaDir, ...name.split('/'));
  if (await exists(path)) return;
  const response = await storage.get(`${recordsPrefix}${name}`, 'GET', undefined, AbortSignal.timeout(readTimeoutMs));
  if (!response.ok) throw new Error(`The storage responded with status ${response.status}.`);
  await replaceFile(path, await response.text());
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
