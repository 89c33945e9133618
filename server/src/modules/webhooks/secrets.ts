import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { batchSize, encryptedColumn, type EncryptedColumn } from '../../database/encrypted-column.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { FormerSecret } from './store.ts';

const secretBytes = 32;

/** In the format of the Standard Webhooks specification. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/** Binds the ciphertext to its row. Equal for former secrets, because a rotation moves the ciphertext to them. */
export function secretAssociatedData(id: Uuid): string {
  return `webhooks:${id}:secret`;
}

/** Each row has a list of former secrets. */
const formerSecretsColumn: EncryptedColumn = {
  name: 'webhooks.former_secrets',
  async read(db, after) {
    const { rows } = await sql<{ id: Uuid; former_secrets: readonly FormerSecret[] }>`
      select id, former_secrets from webhooks
      where former_secrets <> '[]' and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${batchSize}
    `.execute(db);
    return rows.map(({ id, former_secrets: former }) => ({
      id,
      secrets: former.map(({ sealed }) => ({ sealed, context: secretAssociatedData(id) })),
    }));
  },
  async replace(db, { id, secrets }, reencrypted) {
    const { numAffectedRows } = await sql`
      update webhooks set former_secrets = (
        select jsonb_agg(each.former || jsonb_build_object('sealed', (${[...reencrypted]}::text[])[each.position])
          order by each.position)
        from jsonb_array_elements(former_secrets) with ordinality as each (former, position))
      where id = ${id} and jsonb_path_query_array(former_secrets, '$[*].sealed')
        = to_jsonb(${secrets.map(({ sealed }) => sealed)}::text[])
    `.execute(db);
    return numAffectedRows === 1n;
  },
};

export const secretColumns = [encryptedColumn('webhooks', 'secret_sealed', secretAssociatedData), formerSecretsColumn];
