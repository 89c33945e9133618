import { type Insertable, type Selectable, sql } from 'kysely';
import { rowOrNotFound, newRow, type RowStore, rowStore } from '../../database/row-store.ts';
import type { ServicePackageProviders } from '../../database/tables.ts';
import type { Change, Tx } from '../../events/change.ts';
import { type FieldFaults, invalidInput, conflict } from '../../platform/failures.ts';
import { changedColumns } from '../../platform/immutable.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { requirePlacement } from '../service-providers/index.ts';

/** A provider of a package or of a subscription. */
export type ProviderRow = Omit<Selectable<ServicePackageProviders>, 'package_id'>;

export interface ProviderTable<Row extends ProviderRow> {
  readonly parent: 'package_id' | 'subscription_id';
  readonly parentOf: (row: Row) => Uuid;
  readonly rows: RowStore<'service_package_providers', Row>;
}

export function providerTable<Row extends ProviderRow>(
  name: 'service_package_providers' | 'subscription_providers',
  parent: ProviderTable<Row>['parent'],
  parentOf: ProviderTable<Row>['parentOf'],
): ProviderTable<Row> {
  // Kysely has no types for a table that is a parameter.
  return {
    parent,
    parentOf,
    rows: rowStore<'service_package_providers', Row>(name as 'service_package_providers', 'provider'),
  };
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
  return await table.rows.lockAllOf(tx, table.parent as 'package_id', parentId);
}

/** @throws 404 */
export function requireProviderRow<Row extends ProviderRow>(rows: readonly Row[], id: Uuid): Row {
  const row = rows.find((candidate) => candidate.id === id);
  return rowOrNotFound(row, 'provider');
}

/**
 * Adds a provider. The first one becomes the default unless `default` is false; `default: true` replaces the default.
 * @throws 422 if the service provider is already attached or the placement tags are invalid.
 */
export async function addProviderRow<Row extends ProviderRow>(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  table: ProviderTable<Row>,
  parentId: Uuid,
  newProvider: ProviderInput & {
    existing: readonly Row[];
    serviceProviderId: Uuid;
    packageProviderId?: Uuid;
    field: string;
  },
): Promise<Row> {
  if (newProvider.existing.some((row) => row.service_provider_id === newProvider.serviceProviderId)) {
    const faults: FieldFaults = { [newProvider.field]: ['The service provider is already attached.'] };
    throw invalidInput(faults, 'validation-failed');
  }
  requirePlacement(newProvider.settings);
  const isDefault = newProvider.default ?? newProvider.existing.length === 0;
  if (isDefault) await clearDefault(tx, table, parentId, now);
  return await table.rows.insert(tx, {
    ...newRow(now),
    [table.parent]: parentId,
    service_provider_id: newProvider.serviceProviderId,
    ...(newProvider.packageProviderId ? { package_provider_id: newProvider.packageProviderId } : {}),
    active: newProvider.active ?? true,
    is_default: isDefault,
    settings: JSON.stringify(newProvider.settings ?? {}),
    metadata: JSON.stringify(newProvider.metadata ?? {}),
  } as Insertable<ServicePackageProviders>);
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
  const { active, default: isDefault, settings, metadata } = input;
  const columns = changedColumns({ active, is_default: isDefault, settings, metadata }, { settings: {}, metadata: {} });
  return await table.rows.store(tx, row.id, { ...columns, updated_at: now });
}

/** @throws 409 if the provider is active or the default. */
export async function removeProviderRow<Row extends ProviderRow>(
  tx: Tx,
  table: ProviderTable<Row>,
  row: Row,
): Promise<void> {
  if (row.active || row.is_default) {
    const requiredStep = row.is_default ? 'make another provider the default' : 'deactivate it';
    throw conflict(
      'provider-active-or-default',
      `The provider is ${row.is_default ? 'the default' : 'active'}: ${requiredStep} first.`,
    );
  }
  await table.rows.remove(tx, row.id);
}

async function clearDefault<Row extends ProviderRow>(
  tx: Tx,
  table: ProviderTable<Row>,
  parentId: Uuid,
  now: string,
): Promise<void> {
  const isDefault = sql`${sql.ref(table.parent)} = ${parentId} and is_default`;
  await table.rows.storeWhere(tx, isDefault, { is_default: false, updated_at: now });
}
