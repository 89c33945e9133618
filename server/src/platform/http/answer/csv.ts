import { stringify } from 'csv-stringify/sync';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** The type of CSV whose first line names the columns. */
export const csvAnswer = 'text/csv; charset=utf-8; header=present';

/** Whether the caller would rather have CSV than JSON. */
export function prefersCsv(request: FastifyRequest): boolean {
  return new Negotiator(request).mediaType(['application/json', 'text/csv']) === 'text/csv';
}

/** As RFC 4180 has it; what a spreadsheet would run as a formula is made text. */
export function printCsv(lines: readonly (readonly unknown[])[]): string {
  return stringify(lines as unknown[][], { escape_formulas: true, record_delimiter: 'windows' });
}
