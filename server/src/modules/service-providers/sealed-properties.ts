import { sql } from 'kysely';
import { batchSize, type EncryptedColumn, type EncryptedRow } from '../../database/encrypted-column.ts';
import { type Properties, placeOf, secretNames } from './properties.ts';

interface ProviderSecrets extends EncryptedRow {
  readonly names: readonly string[];
  readonly properties: Properties;
}

/** The secrets among the properties of the providers. */
export const providerPropertiesColumn: EncryptedColumn = {
  name: 'service_providers.properties',
  async read(db, after) {
    const { rows } = await sql<{ id: string; provider_type: string; properties: Properties }>`
      select id, provider_type, properties from service_providers
      where ${after}::uuid is null or id > ${after}::uuid order by id limit ${batchSize}
    `.execute(db);
    return rows.map(({ id, provider_type: type, properties }): ProviderSecrets => {
      const names = secretNames(type).filter((name) => typeof properties[name] === 'string');
      const secrets = names.map((name) => ({ sealed: properties[name] as string, context: placeOf(id, name) }));
      return { id, secrets, names, properties };
    });
  },
  async replace(db, row, sealed) {
    const { names, properties } = row as ProviderSecrets;
    const anew = { ...properties, ...Object.fromEntries(names.map((name, index) => [name, sealed[index]])) };
    const { numAffectedRows } = await sql`
      update service_providers set properties = ${JSON.stringify(anew)}::jsonb
      where id = ${row.id} and properties = ${JSON.stringify(properties)}::jsonb
    `.execute(db);
    return numAffectedRows === 1n;
  },
};
