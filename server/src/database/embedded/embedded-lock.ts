import { randomUUID } from 'node:crypto';
import { chownSync, linkSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from './embedded-process.ts';

/** The process that runs the database of a data directory. The connection string is null while it starts. */
export interface Holder {
  readonly pid: number;
  readonly identity: string;
  readonly connectionString: string | null;
  readonly version: string | null;
}

export interface DirectoryLock {
  /** Publishes the connection string for processes that want to attach. */
  publishConnection(connection: { connectionString: string; version: string }): void;
  release(): void;
}

/**
 * Locks the data directory for this process, or returns its holder. A lock ends with its process. Locks are numbered
 * files: a contender links the number after the newest one, which only one process can do, and only when the holder
 * of the newest has ended. A contender that read outdated numbers finds a newer one after linking its own, and gives
 * up; the newest number is never removed.
 */
export function lockDirectory(dataDir: string): { lock: DirectoryLock } | { holder: Holder } {
  for (;;) {
    const newest = Math.max(0, ...lockNumbers(dataDir));
    const holder = newest === 0 ? null : readHolder(dataDir, newest);
    if (holder === 'missing') continue;
    if (holder && processIdentity(holder.pid) === holder.identity) return { holder };
    const ownNumber = newest + 1;
    if (!link(dataDir, ownNumber)) continue;
    const numbers = lockNumbers(dataDir);
    if (Math.max(...numbers) > ownNumber) {
      rmSync(lockFile(dataDir, ownNumber), { force: true });
      continue;
    }
    for (const number of numbers) if (number < ownNumber) rmSync(lockFile(dataDir, number), { force: true });
    return {
      lock: {
        publishConnection: (connection) => replace(dataDir, ownNumber, { ...currentHolder(), ...connection }),
        release: () => replace(dataDir, ownNumber, null),
      },
    };
  }
}

/** The running process that holds the data directory. */
export function holderOf(dataDir: string): Holder | null {
  const newest = Math.max(0, ...lockNumbers(dataDir));
  const holder = newest === 0 ? null : readHolder(dataDir, newest);
  if (holder === 'missing') return holderOf(dataDir);
  return holder && processIdentity(holder.pid) === holder.identity ? holder : null;
}

const prefix = 'postgres.lock.';

function lockFile(dataDir: string, number: number): string {
  return join(dataDir, `${prefix}${number}`);
}

function lockNumbers(dataDir: string): number[] {
  return readdirSync(dataDir)
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
}

function readHolder(dataDir: string, number: number): Holder | null | 'missing' {
  try {
    return JSON.parse(readFileSync(lockFile(dataDir, number), 'utf8')) as Holder | null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing';
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function currentHolder(): Holder {
  return {
    pid: process.pid,
    identity: processIdentity(process.pid) ?? '',
    connectionString: null,
    version: null,
  };
}

function link(dataDir: string, number: number): boolean {
  const draft = writeDraft(dataDir, currentHolder());
  try {
    linkSync(draft, lockFile(dataDir, number));
    return true;
  } catch (error) {
    // The draft is missing: the new holder has removed it.
    if (error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOENT')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replace(dataDir: string, number: number, holder: Holder | null): void {
  renameSync(writeDraft(dataDir, holder), lockFile(dataDir, number));
}

function writeDraft(dataDir: string, holder: Holder | null): string {
  const draft = join(dataDir, `.postgres-lock-${randomUUID()}`);
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
  // Root leaves no files that the owner of the directory could not read later.
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(dataDir);
    chownSync(draft, uid, gid);
  }
  return draft;
}
