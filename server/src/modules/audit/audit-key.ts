import { randomBytes } from 'node:crypto';
import type { Database } from '../../database/connect.ts';
import { type AuditCodes, createAuditCodes } from '../../events/audit-codes.ts';
import type { SealedPlace } from '../../database/sealed-column.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { findSealedKey, insertKey, replaceSealedKey } from './store.ts';

/**
 * The codes of the audit log, from the key of this installation: made once, sealed at rest, and sealed again once there
 * is a newer key to seal with. @throws SecretUnreadable when the installation's keys do not open it.
 */
export async function loadAuditCodes(db: Database, secretBox: SecretBox): Promise<AuditCodes> {
  const sealed = (await findSealedKey(db)) ?? (await makeKey(db, secretBox));
  const key = await secretBox.open(sealed, place);
  if (secretBox.needsRotation(sealed)) await replaceSealedKey(db, sealed, await secretBox.seal(key, place));
  return createAuditCodes(Buffer.from(key, 'base64'));
}

const place = 'audit_keys:key';

export const auditKeySealed: SealedPlace = {
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
  await db.transaction().execute((tx) => insertKey(tx, sealed, createAuditCodes(key)));
  const stored = await findSealedKey(db);
  if (stored === null) throw new Error('The key of the audit log was made, and is gone.');
  return stored;
}
