import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../database/connect.ts';
import { type AuditMac, createAuditMac } from '../../events/audit-mac.ts';
import type { EncryptedColumn } from '../../database/encrypted-column.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import { findSealedKey, insertKey, replaceSealedKey } from './store.ts';

export class AuditKeyMissing extends Error {
  constructor() {
    super(
      'The key of the audit log is missing from the database. Restore the table audit_keys from a backup, ' +
        'or run foyer audit begin-anew; earlier entries can then no longer be verified.',
    );
    this.name = 'AuditKeyMissing';
  }
}

/**
 * Loads the MAC key of the audit log, or creates it for a new log. Encrypts it again after a key rotation.
 * @param isNewLog whether a missing key may be created although there are administrators
 * @throws SecretUnreadable if no key of the installation decrypts it; AuditKeyMissing
 */
export async function loadAuditMac(db: Database, secretBox: SecretBox, isNewLog = false): Promise<AuditMac> {
  const sealed = (await awaitSealedKey(db, isNewLog)) ?? (await createKey(db, secretBox));
  const key = await secretBox.open(sealed, associatedData);
  if (secretBox.needsRotation(sealed)) await replaceSealedKey(db, sealed, await secretBox.seal(key, associatedData));
  return createAuditMac(Buffer.from(key, 'base64'));
}

const associatedData = 'audit_keys:key';
const [maxWaitMs, pauseMs] = [3000, 100];

/** Null if a key has to be created. Waits a little, because another process may be creating it. */
async function awaitSealedKey(db: Database, isNewLog: boolean): Promise<string | null> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const sealed = await findSealedKey(db);
    if (sealed !== null || isNewLog || !(await hasAdmins(db))) return sealed;
    if (waitedMs >= maxWaitMs) throw new AuditKeyMissing();
    await setTimeout(pauseMs);
  }
}

async function hasAdmins(db: Database): Promise<boolean> {
  return (await db.selectFrom('admins').select('id').limit(1).executeTakeFirst()) !== undefined;
}

export const auditKeyColumn: EncryptedColumn = {
  name: 'audit_keys.sealed',
  async read(db, after) {
    const sealed = after === null ? await findSealedKey(db) : null;
    return sealed === null ? [] : [{ id: 'the only one', secrets: [{ sealed, context: associatedData }] }];
  },
  async replace(db, { secrets: [before] }, [after]) {
    if (before && after !== undefined) await replaceSealedKey(db, before.sealed, after);
    return true;
  },
};

/** Creates the key, or reads the one that another process created at the same time. */
async function createKey(db: Database, secretBox: SecretBox): Promise<string> {
  const key = randomBytes(32);
  const sealed = await secretBox.seal(key.toString('base64'), associatedData);
  await db.transaction().execute((tx) => insertKey(tx, sealed, createAuditMac(key)));
  const stored = await findSealedKey(db);
  if (stored === null) throw new Error('The new key of the audit log was removed again.');
  return stored;
}
