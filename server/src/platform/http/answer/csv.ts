import { stringify } from 'csv-stringify/sync';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** The type of CSV whose first line names the columns. */
export const csvAnswer = 'text/csv; charset=utf-8; header=present';

/** Whether the caller prefers CSV to JSON. */
export function prefersCsv(request: FastifyRequest): boolean {
  return new Negotiator(request).mediaType(['application/json', 'text/csv']) === 'text/csv';
}

/** CSV by RFC 4180. A value that a spreadsheet would evaluate as a formula is written as text. */
export function printCsv(lines: readonly (readonly unknown[])[]): string {
  return stringify(lines as unknown[][], { escape_formulas: true, record_delimiter: 'windows' });
}
