import type { RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { invalidInput } from '../failures.ts';
import { unknownField } from './parse-search.ts';
import { compileSearch } from './search.ts';
import type { View } from './view.ts';

export interface ListRequest {
  readonly order: readonly Order[];
  /** Rows per page; null for every match, streamed. */
  readonly limit: number | null;
  readonly page: number;
  readonly cursor: readonly (string | null)[] | null;
  readonly withTotal: boolean;
  readonly where: RawBuilder<unknown> | null;
  readonly shouldSkipCache: boolean;
  /** Binds a cursor to the order and search that it was made for. */
  readonly fingerprint: string;
}

export interface Order {
  readonly name: string;
  readonly expression: RawBuilder<unknown>;
  readonly descending: boolean;
  readonly nullable: boolean;
}

export type QueryParameters = Readonly<Record<string, string | undefined>>;

const maximumLimit = 1000;
const maximumOrder = 10;

/** Parses the list parameters of a query string and reports all faults. */
export function parseListRequest(query: QueryParameters, view: View<never>, defaultLimit: number): ListRequest {
  const faults: Record<string, string[]> = {};
  const { order, fingerprint } = orderingOf(query, view, faults);
  const limit = parseLimit(query['limit'], defaultLimit, faults);
  const search = compileSearch(view, {
    search: query['search'],
    searchFields: query['searchFields'],
    searchJoin: query['searchJoin'],
  });
  if ('faults' in search) Object.assign(faults, search.faults);
  const cursor = parseCursor(query['cursor'], fingerprint, order.length, faults);
  if (Object.keys(faults).length > 0) throw invalidInput(faults, 'unknown-query-field');
  return {
    order,
    limit: limit === 0 ? null : limit,
    page: cursor?.page ?? parsePage(query['page']),
    cursor: cursor?.values ?? null,
    withTotal: query['count']?.toLowerCase() !== 'false' && query['count'] !== '0',
    where: 'where' in search ? search.where : null,
    shouldSkipCache: isTrue(query['skipCache']),
    fingerprint,
  };
}

export function isTrue(text: string | undefined): boolean {
  return text === '1' || text?.toLowerCase() === 'true';
}

/** The start of the next page, and its number. */
export function printCursor(request: ListRequest, values: readonly (string | null)[]): string {
  const page = String(request.page + 1);
  return Buffer.from(JSON.stringify([request.fingerprint, page, ...values])).toString('base64url');
}

interface Ordering {
  readonly order: readonly Order[];
  readonly fingerprint: string;
}

/** The orderings of lists without a search, by view, `orderBy` and `sortedBy`. */
const orderings = new WeakMap<View<never>, LRUCache<string, Ordering>>();
const maxCachedLength = 200;

function orderingOf(query: QueryParameters, view: View<never>, faults: Record<string, string[]>): Ordering {
  const { orderBy = '', sortedBy = '', search, searchFields, searchJoin } = query;
  const key = `${orderBy}\n${sortedBy}`;
  const isCached = (search ?? searchFields ?? searchJoin) === undefined && key.length <= maxCachedLength;
  const cached = isCached ? orderings.get(view)?.get(key) : undefined;
  if (cached) return cached;
  const ordering = { order: parseOrder(query, view, faults), fingerprint: fingerprintOf(query) };
  if (isCached && Object.keys(faults).length === 0) {
    const cacheOfView = orderings.get(view) ?? new LRUCache<string, Ordering>({ max: 100 });
    orderings.set(view, cacheOfView.set(key, ordering));
  }
  return ordering;
}

function parseOrder(query: QueryParameters, view: View<never>, faults: Record<string, string[]>): Order[] {
  const names = split(query['orderBy']);
  const directions = split(query['sortedBy']).map((direction) => direction.toLowerCase());
  if (directions.some((direction) => direction !== 'asc' && direction !== 'desc')) {
    faults['sortedBy'] = ['The sort direction must be one of: asc, desc.'];
  }
  const order: Order[] = [];
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (names.length > maximumOrder) faults['orderBy'] = [`You can sort by at most ${maximumOrder} fields.`];
  else if (repeated !== undefined)
    faults['orderBy'] = [`You can sort by each field only once. ${repeated} is repeated.`];
  if (faults['orderBy']) return order;
  for (const [index, name] of names.entries()) {
    const descending = (directions[index] ?? directions[0] ?? 'asc') === 'desc';
    const field = Object.hasOwn(view.resource.fields, name) ? name.replace(relative, '') : name;
    const expressions = Object.hasOwn(view.expressions, field) ? view.expressions : view.orders;
    const expression = Object.hasOwn(expressions, field) ? expressions[field] : undefined;
    if (expression) order.push({ name: field, expression, descending, nullable: isNullable(view, field) });
    else if (name === 'object') order.push(orderOfKey(view, descending));
    else (faults['orderBy'] ??= []).push(unknownField(name, Object.keys({ ...view.expressions, ...view.orders })));
  }
  if (!order.some(({ name }) => name === 'id')) {
    const descending = order.at(-1)?.descending ?? (directions[0] ? directions[0] === 'desc' : view.key.descending);
    order.push(orderOfKey(view, descending));
  }
  return order;
}

/** Relative times sort by the instants that they describe. */
const relative = /^readable_/;

/** A member that is the same in all rows, such as `object`, sorts by the key. */
function orderOfKey(view: View<never>, descending: boolean): Order {
  return { name: 'id', expression: view.key.expression, descending, nullable: false };
}

function isNullable(view: View<never>, name: string): boolean {
  const { type } = (view.resource.fields[name] ?? {}) as { type?: string | string[] };
  return Array.isArray(type) && type.includes('null');
}

function parseLimit(text: string | undefined, defaultLimit: number, faults: Record<string, string[]>): number {
  if (text === undefined || text === '') return defaultLimit;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(limit) || limit > maximumLimit) {
    faults['limit'] = [`The limit must be a whole number from 0 to ${maximumLimit}; 0 returns every match.`];
  }
  return limit;
}

/** Far beyond the last page, and still a valid offset. */
const lastPage = 1_000_000_000;

function parsePage(text: string | undefined): number {
  const page = text !== undefined && /^\d+$/.test(text) ? Number(text) : 1;
  return Math.min(Math.max(1, page), lastPage);
}

function parseCursor(
  text: string | undefined,
  fingerprint: string,
  length: number,
  faults: Record<string, string[]>,
): { readonly page: number; readonly values: readonly (string | null)[] } | null {
  if (text === undefined || text === '') return null;
  const [cursorFingerprint, page, ...values] = decodeCursor(text) ?? [];
  if (values.length !== length) {
    faults['cursor'] = ['The cursor is not valid.'];
    return null;
  }
  if (cursorFingerprint !== fingerprint) {
    faults['cursor'] = ['The cursor is for another order or search.'];
    return null;
  }
  return { page: parsePage(page ?? undefined), values };
}

function decodeCursor(text: string): (string | null)[] | null {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const isValid = Array.isArray(values) && values.every((value) => value === null || typeof value === 'string');
    return isValid ? (values as (string | null)[]) : null;
  } catch {
    return null;
  }
}

function fingerprintOf(query: QueryParameters): string {
  const parts = ['orderBy', 'sortedBy', 'search', 'searchFields', 'searchJoin'].map((name) => query[name] ?? '');
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 12);
}

function split(text: string | undefined): string[] {
  return (text ?? '')
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
