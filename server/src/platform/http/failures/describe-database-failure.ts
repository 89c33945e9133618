import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';

export interface DatabaseFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Describes a failure of the database that may pass.
 * @returns null for errors of the statement, and for errors that do not come from the database
 */
export function describeDatabaseFailure(error: unknown): DatabaseFailure | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as { code?: unknown };
  const failure = typeof code === 'string' ? (failures[code] ?? (isConnectionLost(code) ? unavailable : null)) : null;
  if (failure) return failure;
  if (/timeout exceeded when trying to connect/i.test(error.message)) return busy;
  return lostConnection.test(error.message) ? unavailable : null;
}

const unavailable: DatabaseFailure = {
  code: 'database-unavailable',
  message: 'The database cannot be reached. Please try again.',
};
const busy: DatabaseFailure = { code: 'busy', message: 'The server is busy. Please try again.' };
const readOnly: DatabaseFailure = {
  code: 'database-read-only',
  message: 'The database is read-only at the moment, so nothing was changed. Please try again.',
};

/** Conditions of PostgreSQL by their SQLSTATE. */
const failures: Readonly<Record<string, DatabaseFailure>> = {
  // read_only_sql_transaction: the server is a standby
  '25006': readOnly,
  // disk_full
  '53100': readOnly,
  // query_canceled: by statement_timeout, or by an operator.
  '57014': {
    code: 'query-too-expensive',
    message: 'The database took too long. Request fewer rows, or try again.',
  },
};

const unavailableCodes = new Set([
  // idle_in_transaction_session_timeout
  '25P03',
  // invalid_authorization_specification, invalid_password, invalid_catalog_name: the database is being set up, or its
  // password is being changed.
  '28000',
  '28P01',
  '3D000',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Classes 08 (connection), 53 (resources), 58 (system, I/O), and 57P (shutdown, crash, recovery). */
function isConnectionLost(code: string): boolean {
  return unavailableCodes.has(code) || /^(08|53|58)[0-9A-Z]{3}$|^57P[0-9A-Z]{2}$/.test(code);
}

const lostConnection =
  /Connection terminated|Client has encountered a connection error|Client was closed and is not queryable/i;
