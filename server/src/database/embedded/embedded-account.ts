import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The account of the operating system that PostgreSQL runs as. */
export interface OsAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root runs it as an account without rights. Null: the current account runs it.
 */
export function findUnprivilegedAccount(): OsAccount | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readAccounts();
  return accounts.get('postgres') ?? accounts.get('nobody') ?? { uid: 65_534, gid: 65_534 };
}

/** Whether the account has this access to the file, including access to its folders. */
export function canUse(account: OsAccount | null, path: string, access: 'read' | 'execute' | 'write'): boolean {
  if (account === null) {
    try {
      accessSync(
        path,
        { read: constants.R_OK, execute: constants.X_OK, write: constants.W_OK | constants.X_OK }[access],
      );
      return true;
    } catch {
      return false;
    }
  }
  let file: string;
  try {
    file = realpathSync(path);
    if (!permits(account, file, { read: 4, execute: 1, write: 3 }[access])) return false;
  } catch {
    return false;
  }
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (!permits(account, folder, 1)) return false;
    if (folder === dirname(folder)) return true;
  }
}

function permits(account: OsAccount, path: string, bits: number): boolean {
  const { uid, gid, mode } = statSync(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & bits) === bits;
}

function readAccounts(): Map<string, OsAccount> {
  const accounts = new Map<string, OsAccount>();
  let text = '';
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return accounts;
  }
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && Number(uid) > 0) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}
