import { type RawBuilder, sql } from 'kysely';
import type { Change, Tx } from '../../events/change.ts';
import { type FieldFaults, invalidInput, notFound, conflict } from '../../platform/failures.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { requirePlacement } from '../service-providers/index.ts';

/** A provider of a package or of a subscription. */
export interface ProviderRow {
  readonly id: Uuid;
  readonly service_provider_id: Uuid;
  readonly active: boolean;
  readonly is_default: boolean;
  readonly settings: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ProviderTable<Row extends ProviderRow> {
  readonly name: 'service_package_providers' | 'subscription_providers';
  readonly parent: 'package_id' | 'subscription_id';
  readonly parentOf: (row: Row) => Uuid;
}

export interface ProviderInput {
  readonly active?: boolean;
  readonly default?: boolean;
  readonly settings?: Record<string, unknown> | null;
  readonly metadata?: object | null;
}

/** Locks the parent's provider rows, so that two changes cannot both set the default. */
export async function lockProviderRows<Row extends ProviderRow>(
  tx: Tx,
  table: ProviderTable<Row>,
  parentId: Uuid,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table.name)} where ${sql.ref(table.parent)} = ${parentId} order by id for update`.execute(
    tx,
  );
  return rows;
}

/** @throws 404 */
export function requireProviderRow<Row extends ProviderRow>(rows: readonly Row[], id: Uuid): Row {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row) throw notFound('The provider was not found.');
  return row;
}

/**
 * Adds a provider. The first one becomes the default unless `default` is false; `default: true` replaces the default.
 * @throws 422 if the service provider is already attached or the placement tags are invalid.
 */
export async function addProviderRow<Row extends ProviderRow>(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  table: ProviderTable<Row>,
  parentId: Uuid,
  added: ProviderInput & {
    existing: readonly Row[];
    serviceProviderId: Uuid;
    packageProviderId?: Uuid;
    field: string;
  },
): Promise<Row> {
  if (added.existing.some((row) => row.service_provider_id === added.serviceProviderId)) {
    const faults: FieldFaults = { [added.field]: ['The service provider is already attached.'] };
    throw invalidInput(faults, 'validation-failed');
  }
  requirePlacement(added.settings);
  const isDefault = added.default ?? added.existing.length === 0;
  if (isDefault) await clearDefault(tx, table, parentId, now);
  const packageProvider: RawBuilder<unknown>[] = added.packageProviderId ? [sql`${added.packageProviderId}::uuid`] : [];
  const columns = [
    'id',
    table.parent,
    'service_provider_id',
    'active',
    'is_default',
    'settings',
    'metadata',
    'created_at',
    'updated_at',
    ...(added.packageProviderId ? ['package_provider_id'] : []),
  ];
  const { rows } = await sql<Row>`
    insert into ${sql.table(table.name)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values (${newUuid()}, ${parentId}, ${added.serviceProviderId}, ${added.active ?? true}, ${isDefault},
      ${JSON.stringify(added.settings ?? {})}, ${JSON.stringify(added.metadata ?? {})},
      ${sql.join([sql`${now}`, sql`${now}`, ...packageProvider])})
    returning *`.execute(tx);
  return firstRow(rows);
}

/** @throws 409 `default-provider-required` if no default would remain; 422 if the placement tags are invalid. */
export async function changeProviderRow<Row extends ProviderRow>(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  table: ProviderTable<Row>,
  row: Row,
  input: ProviderInput,
): Promise<Row> {
  if (input.default === false && row.is_default) {
    throw conflict(
      'default-provider-required',
      'There must be a default provider. Make another provider the default instead.',
    );
  }
  requirePlacement(input.settings);
  if (input.default === true && !row.is_default) await clearDefault(tx, table, table.parentOf(row), now);
  const { rows } = await sql<Row>`
    update ${sql.table(table.name)} set
      active = ${input.active ?? row.active},
      is_default = ${input.default ?? row.is_default},
      settings = ${JSON.stringify(input.settings === undefined ? row.settings : (input.settings ?? {}))},
      metadata = ${JSON.stringify(input.metadata === undefined ? row.metadata : (input.metadata ?? {}))},
      updated_at = ${now}
    where id = ${row.id}
    returning *`.execute(tx);
  return firstRow(rows);
}

/** @throws 409 if the provider is active or the default. */
export async function removeProviderRow<Row extends ProviderRow>(
  tx: Tx,
  table: ProviderTable<Row>,
  row: Row,
): Promise<void> {
  if (row.active || row.is_default) {
    const first = row.is_default ? 'make another provider the default' : 'deactivate it';
    throw conflict(
      'provider-active-or-default',
      `The provider is ${row.is_default ? 'the default' : 'active'}: ${first} first.`,
    );
  }
  await sql`delete from ${sql.table(table.name)} where id = ${row.id}`.execute(tx);
}

async function clearDefault<Row extends ProviderRow>(
  tx: Tx,
  table: ProviderTable<Row>,
  parentId: Uuid,
  now: string,
): Promise<void> {
  await sql`
    update ${sql.table(table.name)} set is_default = false, updated_at = ${now}
    where ${sql.ref(table.parent)} = ${parentId} and is_default`.execute(tx);
}

function firstRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}
