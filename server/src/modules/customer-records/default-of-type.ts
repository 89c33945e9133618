import { sql } from 'kysely';
import type { Change, Tx } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** A table whose rows have a type, with one default row per customer and type. */
export interface TypedTable {
  readonly name: 'customer_addresses' | 'customer_telephones';
  readonly type: 'address_type' | 'telephone_type';
  readonly noun: 'address' | 'telephone';
}

export interface DefaultClaim {
  /** The stored row; null for a new one. */
  readonly before: { readonly is_default: boolean; readonly type: string } | null;
  readonly type: string;
  /** The `default` member of the request. */
  readonly isRequested: boolean | undefined;
}

/**
 * Decides whether the row to be written is the default of its type, and clears the former default. The caller locks the
 * customer.
 * @throws 409 `default-required` if no default would remain
 */
export async function claimDefault(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  table: TypedTable,
  customerId: Uuid,
  { before, type, isRequested }: DefaultClaim,
): Promise<boolean> {
  const isAlreadyDefault = before !== null && before.is_default && before.type === type;
  if (isAlreadyDefault && isRequested === false) {
    const sentence = `There must be a default. Make another ${table.noun} of this type the default instead.`;
    throw conflict('default-required', sentence, { default: [sentence] });
  }
  if (isAlreadyDefault || !(await hasDefault(tx, table, customerId, type))) return true;
  if (isRequested !== true) return false;
  await sql`
    update ${sql.table(table.name)} set is_default = false, updated_at = ${now}
    where customer_id = ${customerId} and ${sql.ref(table.type)} = ${type} and is_default
  `.execute(tx);
  return true;
}

/** If the type has no default any more, its oldest row becomes the default. */
export async function promoteNextDefault(
  { tx, now, emit }: Change,
  table: TypedTable,
  customerId: Uuid,
  type: string,
): Promise<void> {
  if (await hasDefault(tx, table, customerId, type)) return;
  const { rows } = await sql<{ id: Uuid }>`
    update ${sql.table(table.name)} set is_default = true, updated_at = ${now}
    where id = (
      select id from ${sql.table(table.name)}
      where customer_id = ${customerId} and ${sql.ref(table.type)} = ${type} order by id limit 1
    )
    returning id
  `.execute(tx);
  const [promoted] = rows;
  if (!promoted) return;
  await emit(
    rowEvent(`${table.noun}.updated`, {
      customerId,
      before: { id: promoted.id, is_default: false },
      after: { id: promoted.id, is_default: true },
    }),
  );
}

async function hasDefault(tx: Tx, table: TypedTable, customerId: Uuid, type: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table.name)}
    where customer_id = ${customerId} and ${sql.ref(table.type)} = ${type} and is_default
  `.execute(tx);
  return rows.length > 0;
}
