import { sql } from 'kysely';
import type { Change, Tx } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** Tables whose rows have a type, and of each type one default per customer. */
export interface TypedTable {
  readonly name: 'customer_addresses' | 'customer_telephones';
  readonly type: 'address_type' | 'telephone_type';
  readonly object: 'Address' | 'Telephone';
  /** What a row is called. */
  readonly noun: 'address' | 'telephone';
}

/**
 * Takes the place of the default for a row that is about to be written, of a locked customer.
 * @param before the row as it is stored; null for a new one. @param wished what the caller says of it.
 * @returns whether it is the default. @throws 409 `default-required` when nothing would be
 */
export async function claimDefault(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  table: TypedTable,
  customerId: Uuid,
  before: { readonly is_default: boolean; readonly type: string } | null,
  type: string,
  wished: boolean | undefined,
): Promise<boolean> {
  const isStaying = before !== null && before.is_default && before.type === type;
  if (isStaying && wished === false) {
    const sentence = `Make another ${table.noun} of the type the default instead.`;
    throw conflict('default-required', sentence, { default: [sentence] });
  }
  if (isStaying || !(await hasDefault(tx, table, customerId, type))) return true;
  if (wished !== true) return false;
  await sql`
    update ${sql.table(table.name)} set is_default = false, updated_at = ${now}
    where customer_id = ${customerId} and ${sql.ref(table.type)} = ${type} and is_default
  `.execute(tx);
  return true;
}

/** Where the default has left a type, the oldest row that is left becomes it. */
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
  const [heir] = rows;
  if (!heir) return;
  await emit({
    name: `customer.${table.noun}_updated`,
    resource: { type: table.object, id: heir.id },
    customerId,
    before: { is_default: false },
    after: { is_default: true },
  });
}

async function hasDefault(tx: Tx, table: TypedTable, customerId: Uuid, type: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table.name)}
    where customer_id = ${customerId} and ${sql.ref(table.type)} = ${type} and is_default
  `.execute(tx);
  return rows.length > 0;
}
