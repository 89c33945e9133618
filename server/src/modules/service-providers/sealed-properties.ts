import { sql } from 'kysely';
import { batchSize, type EncryptedColumn, type EncryptedRow } from '../../database/encrypted-column.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { secretNames } from '../../providers/properties.ts';
import type { Properties, ProviderTypeDefinition } from '../../providers/provider-type.ts';
import { providerTypes } from '../../providers/provider-types.ts';

/** The provider whose properties are encrypted. Each secret is bound to its row and name. */
export interface PropertiesOwner {
  readonly id: Uuid;
  /** Undefined for a provider type that this release does not know, and whose secrets it does not know. */
  readonly type: ProviderTypeDefinition | undefined;
}

/** Encrypts the secrets that differ from the stored ones, which are encrypted already. */
export async function sealProperties(
  secretBox: SecretBox,
  { id, type }: PropertiesOwner,
  properties: Properties,
  stored: Properties,
): Promise<Record<string, unknown>> {
  const sealed: Record<string, unknown> = { ...properties };
  for (const name of secretNames(type?.declaration)) {
    const value = sealed[name];
    if (typeof value === 'string' && value !== stored[name])
      sealed[name] = await secretBox.seal(value, associatedData(id, name));
  }
  return sealed;
}

export async function openProperties(
  secretBox: SecretBox,
  { id, type }: PropertiesOwner,
  stored: Properties,
): Promise<Properties> {
  const opened: Record<string, unknown> = { ...stored };
  for (const name of secretNames(type?.declaration)) {
    const value = opened[name];
    if (typeof value === 'string') opened[name] = await secretBox.open(value, associatedData(id, name));
  }
  return opened;
}

/** The names of the changed secrets. In an event they are masked, so that a change would not be visible. */
export function changedSecrets(type: ProviderTypeDefinition | undefined, before: Properties, after: Properties) {
  return secretNames(type?.declaration).filter((name) => before[name] !== after[name]);
}

function associatedData(id: Uuid, name: string): string {
  return `service_providers:${id}:${name}`;
}

interface ProviderSecrets extends EncryptedRow {
  readonly names: readonly string[];
  readonly properties: Properties;
}

const declarations = new Map(providerTypes.map(({ declaration }) => [declaration.name, declaration]));

/** The secrets among the properties of the providers. */
export const providerPropertiesColumn: EncryptedColumn = {
  name: 'service_providers.properties',
  async read(db, after) {
    const { rows } = await sql<{ id: string; provider_type: string; properties: Properties }>`
      select id, provider_type, properties from service_providers
      where ${after}::uuid is null or id > ${after}::uuid order by id limit ${batchSize}
    `.execute(db);
    return rows.map(({ id, provider_type: type, properties }): ProviderSecrets => {
      const names = secretNames(declarations.get(type)).filter((name) => typeof properties[name] === 'string');
      const secrets = names.map((name) => ({ sealed: properties[name] as string, context: associatedData(id, name) }));
      return { id, secrets, names, properties };
    });
  },
  async replace(db, row, sealed) {
    const { names, properties } = row as ProviderSecrets;
    const reencrypted = { ...properties, ...Object.fromEntries(names.map((name, index) => [name, sealed[index]])) };
    const { numAffectedRows } = await sql`
      update service_providers set properties = ${JSON.stringify(reencrypted)}::jsonb
      where id = ${row.id} and properties = ${JSON.stringify(properties)}::jsonb
    `.execute(db);
    return numAffectedRows === 1n;
  },
};
