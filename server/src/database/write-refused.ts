/** read_only_sql_transaction: a standby, or a primary that was made one. */
export const readOnlyTransaction = '25006';
const diskFull = '53100';

/** Whether the database refused a statement only because it is read-only or full at the moment; it can still be read. */
export function isWriteRefused(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === readOnlyTransaction || code === diskFull;
}
