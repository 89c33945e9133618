import { type Selectable, sql } from 'kysely';
import { rowStore } from '../../database/row-store.ts';
import type { ServiceProviders } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type ServiceProviderRow = Selectable<ServiceProviders>;
/** A provider on which meetings run. */
export type ChosenProvider = Readonly<
  Pick<ServiceProviderRow, 'id' | 'provider_name' | 'provider_type' | 'properties'>
>;

const serviceProviders = rowStore('service_providers', 'service provider');

/** The lock prevents changes and new references. */
export const {
  find: findServiceProvider,
  require: requireServiceProvider,
  lock: lockServiceProvider,
} = serviceProviders;

export async function insertServiceProvider(
  tx: Tx,
  row: Omit<ServiceProviderRow, 'properties' | 'settings' | 'metadata'> & Maps,
): Promise<ServiceProviderRow> {
  return await serviceProviders.insert(tx, { ...row, ...serializeMaps(row) });
}

type ChangeableColumn =
  | 'provider_name'
  | 'active'
  | 'pool'
  | 'tags'
  | 'weight'
  | 'draining'
  | 'max_meetings'
  | 'max_participants'
  | 'server_key';

export async function updateServiceProvider(
  tx: Tx,
  id: Uuid,
  changes: Partial<Pick<ServiceProviderRow, ChangeableColumn>> & { updated_at: string } & Partial<Maps>,
): Promise<ServiceProviderRow> {
  return await serviceProviders.store(tx, id, { ...changes, ...serializeMaps(changes) });
}

/** Locks the rows that refer to the locked provider, before the foreign keys clear or delete them. */
export async function removeServiceProvider(tx: Tx, id: Uuid): Promise<void> {
  const referringTables = [
    ['meetings', 'id'],
    ['recordings', 'id'],
    ['recording_checks', 'room_id'],
    ['recording_removals', 'id'],
  ] as const;
  for (const [table, key] of referringTables)
    await sql`
      select from ${sql.table(table)} where service_provider_id = ${id} order by ${sql.ref(key)} for update
    `.execute(tx);
  await tx.deleteFrom('service_providers').where('id', '=', id).execute();
}

export interface ProviderUse {
  readonly packages: number;
  readonly subscriptions: number;
  readonly packageDefaults: number;
  readonly subscriptionDefaults: number;
  /** Meetings that have not ended. */
  readonly meetings: number;
  readonly videos: number;
}

export async function countUse(tx: Tx, id: Uuid): Promise<ProviderUse> {
  const { rows } = await sql<ProviderUse>`
    select
      (select count(*) from service_package_providers where service_provider_id = ${id}) as packages,
      (select count(*) from subscription_providers where service_provider_id = ${id}) as subscriptions,
      (select count(*) from service_package_providers where service_provider_id = ${id} and is_default) as "packageDefaults",
      (select count(*) from subscription_providers where service_provider_id = ${id} and is_default) as "subscriptionDefaults",
      (select count(*) from meetings where service_provider_id = ${id} and state <> 'ended') as meetings,
      (select count(*) from videos where service_provider_id = ${id}) as videos
  `.execute(tx);
  const [use] = rows;
  if (!use) throw new Error('count without a row');
  return use;
}

interface Maps {
  properties: Record<string, unknown>;
  settings: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

function serializeMaps(maps: Partial<Maps>): { [Name in keyof Maps]: string } {
  const entries = (['properties', 'settings', 'metadata'] as const)
    .filter((name) => maps[name] !== undefined)
    .map((name) => [name, JSON.stringify(maps[name])]);
  return Object.fromEntries(entries) as { [Name in keyof Maps]: string };
}
