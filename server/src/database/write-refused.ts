/** `read_only_sql_transaction`: the server is a standby. */
export const readOnlyTransaction = '25006';
const diskFull = '53100';

/** Whether the database refused a write because it is read-only or its disk is full. It can still be read. */
export function isWriteRefused(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === readOnlyTransaction || code === diskFull;
}
