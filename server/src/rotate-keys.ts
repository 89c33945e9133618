import type { App } from './app.ts';
import type { Config } from './config.ts';
import { inTransaction, system } from './events/change.ts';
import { createSecretBox } from './platform/crypto/secret-box.ts';
import { reencryptColumn } from './database/encrypted-column.ts';
import { encryptedColumns } from './modules.ts';
import { addSecretKey, loadSecretKeys } from './runtime/secret-keys.ts';

/** The secret keys have no row. Their events have this id. */
const secretKeysId = '00000000-0000-7000-8000-000000000002';

export interface Rotation {
  readonly newestKeyId: string;
  /** Whether this rotation added a key to the data directory. */
  readonly isNewKey: boolean;
  readonly reencrypted: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
}

/**
 * Encrypts every stored secret with the newest key. If the keys are in the data directory, a new one is added first;
 * configured keys are added by the operator. Running processes load a new key when a secret names it.
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
    const reencrypted: Record<string, number> = {};
    const unreadable: string[] = [];
    for (const column of encryptedColumns) {
      const result = await reencryptColumn(column, connection.db, secretBox);
      reencrypted[column.name] = result.reencrypted;
      unreadable.push(...result.unreadable);
    }
    const newestKeyId = keys[0]?.id ?? '';
    await inTransaction(dependencies, system, (change) =>
      change.emit({
        name: 'keys.rotated',
        resource: { type: 'SecretKeys', id: secretKeysId },
        after: { newest: newestKeyId, made: isNewKey, sealed_anew: reencrypted, not_readable: unreadable.length },
      }),
    );
    return { newestKeyId, isNewKey, reencrypted, unreadable };
  } finally {
    // The lock ends with its connection.
    client.release(true);
  }
}
