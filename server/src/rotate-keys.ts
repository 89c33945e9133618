import type { App } from './app.ts';
import type { Config } from './config.ts';
import { inTransaction, system } from './events/change.ts';
import { createSecretBox } from './platform/crypto/secret-box.ts';
import { reencryptColumn } from './database/encrypted-column.ts';
import { encryptedColumns } from './modules.ts';
import { addSecretKey, loadSecretKeys } from './secret-keys.ts';

/** The keys are one thing and no row: what happens to them is numbered under this id. */
const secretKeysId = '00000000-0000-7000-8000-000000000002';

export interface Rotation {
  readonly newestKeyId: string;
  /** Of this rotation, in the data directory. */
  readonly isNewKey: boolean;
  readonly resealed: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
}

/**
 * Seals every stored secret with the newest key. Keys that are kept in the data directory get a new one first; keys
 * that are given are the operator's to add. What runs meanwhile goes on: it finds a new key when it meets one.
 */
export async function rotateKeys({ connection, dependencies }: App, config: Config): Promise<Rotation> {
  const client = await connection.pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query("select pg_advisory_lock(hashtextextended('foyer keys rotate', 0))");
    const isNewKey = config.secretKeys === null;
    if (isNewKey) await addSecretKey(config);
    const keys = await loadSecretKeys(config);
    const secretBox = createSecretBox(keys);
    const resealed: Record<string, number> = {};
    const unreadable: string[] = [];
    for (const place of encryptedColumns) {
      const done = await reencryptColumn(place, connection.db, secretBox);
      resealed[place.name] = done.resealed;
      unreadable.push(...done.unreadable);
    }
    const newestKeyId = keys[0]?.id ?? '';
    await inTransaction(dependencies, system, (change) =>
      change.emit({
        name: 'keys.rotated',
        resource: { type: 'SecretKeys', id: secretKeysId },
        after: { newest: newestKeyId, made: isNewKey, sealed_anew: resealed, not_readable: unreadable.length },
      }),
    );
    return { newestKeyId, isNewKey, resealed, unreadable };
  } finally {
    // The lock ends with its connection.
    client.release(true);
  }
}
