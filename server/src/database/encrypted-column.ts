import { sql } from 'kysely';
import type { Database } from './connect.ts';
import { type SecretBox, SecretUnreadable } from '../platform/crypto/secret-box.ts';

/** A column that stores encrypted secrets. */
export interface EncryptedColumn {
  readonly name: string;
  /** Reads the next rows, ordered by id. @param after the last id of the previous batch */
  read(db: Database, after: string | null): Promise<readonly EncryptedRow[]>;
  /**
   * Stores the secrets of a row, encrypted again, in the same order. False when the row has changed since it was
   * read.
   */
  replace(db: Database, row: EncryptedRow, sealed: readonly string[]): Promise<boolean>;
}

export interface EncryptedRow {
  readonly id: string;
  readonly secrets: readonly { readonly sealed: string; readonly context: string }[];
}

export const batchSize = 500;

/** @param contextOf the associated data of the secret of a row */
export function encryptedColumn(
  table: string,
  column: string,
  contextOf: (id: string) => string,
  idColumn = 'id',
): EncryptedColumn {
  const [id, sealed] = [sql.ref(idColumn), sql.ref(column)];
  return {
    name: `${table}.${column}`,
    async read(db, after) {
      const { rows } = await sql<{ id: string; sealed: string }>`
        select ${id} as id, ${sealed} as sealed from ${sql.table(table)}
        where ${sealed} is not null and (${after}::uuid is null or ${id} > ${after}::uuid)
        order by ${id} limit ${batchSize}
      `.execute(db);
      return rows.map((row) => ({ id: row.id, secrets: [{ sealed: row.sealed, context: contextOf(row.id) }] }));
    },
    async replace(db, row, [reencrypted]) {
      const { numAffectedRows } = await sql`
        update ${sql.table(table)} set ${sealed} = ${reencrypted}
        where ${id} = ${row.id}::uuid and ${sealed} = ${row.secrets[0]?.sealed}
      `.execute(db);
      return numAffectedRows === 1n;
    },
  };
}

/** The number of secrets of a column that the keys can decrypt, and those that they cannot. */
export interface EncryptionState {
  readonly readable: number;
  /** The number of readable secrets that are encrypted with an older key. */
  readonly outdated: number;
  /** One sentence for each row that no key decrypts. */
  readonly unreadable: readonly string[];
}

/** @param onOutdated receives each row that is encrypted with an older key, and its decrypted secrets */
export async function inspectColumn(
  column: EncryptedColumn,
  db: Database,
  secretBox: SecretBox,
  onOutdated?: (row: EncryptedRow, plaintexts: readonly string[]) => Promise<void>,
): Promise<EncryptionState> {
  let [readable, outdated] = [0, 0];
  const unreadable: string[] = [];
  for (let rows = await column.read(db, null); rows.length > 0; rows = await column.read(db, rows.at(-1)?.id ?? null)) {
    for (const row of rows) {
      try {
        const plaintexts: string[] = [];
        for (const { sealed, context } of row.secrets) plaintexts.push(await secretBox.open(sealed, context));
        readable += plaintexts.length;
        const outdatedCount = row.secrets.filter(({ sealed }) => secretBox.needsRotation(sealed)).length;
        outdated += outdatedCount;
        if (outdatedCount > 0) await onOutdated?.(row, plaintexts);
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        unreadable.push(`${column.name} of ${row.id}: ${error.message}`);
      }
    }
  }
  return { readable, outdated, unreadable };
}

/**
 * Encrypts all secrets with the newest key. Other processes may read and write meanwhile. After an interruption, it can
 * be run again.
 */
export async function reencryptColumn(column: EncryptedColumn, db: Database, secretBox: SecretBox) {
  let reencrypted = 0;
  const { unreadable } = await inspectColumn(column, db, secretBox, async (row, plaintexts) => {
    const secrets = await Promise.all(
      plaintexts.map((text, index) => secretBox.seal(text, row.secrets[index]?.context ?? '')),
    );
    if (await column.replace(db, row, secrets)) reencrypted += plaintexts.length;
  });
  return { reencrypted, unreadable };
}
