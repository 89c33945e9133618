import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { generateSecretKey, parseSecretKeys, printSecretKeys, type SecretKey } from '../platform/crypto/secret-box.ts';
import { StartFailure } from './open-database.ts';

/**
 * The keys for encryption at rest: configured, or generated once in the data directory.
 * @throws StartFailure
 */
export async function loadSecretKeys(config: Config): Promise<readonly SecretKey[]> {
  if (config.secretKeys !== null) return config.secretKeys;
  const path = pathOf(config);
  const text = (await read(path)) ?? (await generate(config.dataDir, path));
  return parse(path, text);
}

/**
 * Adds a new first key in the data directory. Only one process at a time may call it.
 * @throws StartFailure
 */
export async function addSecretKey(config: Config): Promise<void> {
  const path = pathOf(config);
  const keys = parse(path, await readFile(path, 'utf8'));
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${printSecretKeys([generateSecretKey(), ...keys])}\n`, { mode: 0o600, flush: true });
  await rename(draft, path);
}

function pathOf(config: Config): string {
  return join(config.dataDir, 'secret-keys');
}

function parse(path: string, text: string): readonly SecretKey[] {
  const parsed = parseSecretKeys(text.trim());
  if (!parsed.ok) throw new StartFailure(`The file ${path} is damaged: ${parsed.faults.join(' ')}`);
  return parsed.keys;
}

async function read(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** If several processes start together, one creates the file atomically and the others read it. */
async function generate(folder: string, path: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${printSecretKeys([generateSecretKey()])}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  return await readFile(path, 'utf8');
}
