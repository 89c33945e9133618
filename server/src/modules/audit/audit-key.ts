import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../database/connect.ts';
import { type AuditMac, createAuditMac } from '../../events/audit-mac.ts';
import type { EncryptedColumn } from '../../database/encrypted-column.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import { findSealedKey, insertKey, replaceSealedKey } from './store.ts';

/** Somebody removed the key, and with it what shows that the log is as it was. */
export class AuditKeyMissing extends Error {
  constructor() {
    super(
      'The key of the audit log is gone from the database, which had one. Restore the table audit_keys from a backup; ' +
        'or run foyer audit begin-anew: what was entered before cannot be verified any more.',
    );
    this.name = 'AuditKeyMissing';
  }
}

/**
 * The codes of the audit log, from the key of this installation: made once, sealed at rest, and sealed again once there
 * is a newer key to seal with.
 * @param begins whether the log begins now; it also does where nobody has ever logged in.
 * @throws SecretUnreadable when the installation's keys do not open it; AuditKeyMissing
 */
export async function loadAuditMac(db: Database, secretBox: SecretBox, begins = false): Promise<AuditMac> {
  const sealed = (await awaitSealedKey(db, begins)) ?? (await makeKey(db, secretBox));
  const key = await secretBox.open(sealed, place);
  if (secretBox.needsRotation(sealed)) await replaceSealedKey(db, sealed, await secretBox.seal(key, place));
  return createAuditMac(Buffer.from(key, 'base64'));
}

const place = 'audit_keys:key';
const [patienceMs, pauseMs] = [3000, 100];

/** Null where a key is to be made. Of processes that start at once another one may be about to make it. */
async function awaitSealedKey(db: Database, begins: boolean): Promise<string | null> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const sealed = await findSealedKey(db);
    if (sealed !== null || begins || !(await hasAdmins(db))) return sealed;
    if (waitedMs >= patienceMs) throw new AuditKeyMissing();
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
    return sealed === null ? [] : [{ id: 'the only one', secrets: [{ sealed, context: place }] }];
  },
  async replace(db, { secrets: [before] }, [anew]) {
    if (before && anew !== undefined) await replaceSealedKey(db, before.sealed, anew);
    return true;
  },
};

/** Of processes that start at once one makes the key, and the others read it. */
async function makeKey(db: Database, secretBox: SecretBox): Promise<string> {
  const key = randomBytes(32);
  const sealed = await secretBox.seal(key.toString('base64'), place);
  await db.transaction().execute((tx) => insertKey(tx, sealed, createAuditMac(key)));
  const stored = await findSealedKey(db);
  if (stored === null) throw new Error('The key of the audit log was made, and is gone.');
  return stored;
}
