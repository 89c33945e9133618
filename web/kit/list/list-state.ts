/** The state of a list in the address; defaults are left out. */
export interface ListState {
  readonly page?: number;
  readonly limit?: number;
  readonly find?: string;
  readonly orderBy?: string;
  readonly sortedBy?: 'asc' | 'desc';
  /** `field:value` pairs, separated by `;`. */
  readonly only?: string;
}

export const pageSizes = [10, 25, 50, 100] as const;
export const defaultPageSize = 25;

/** Parses the query string; invalid values are ignored. */
export function readListState(search: Record<string, unknown>): ListState {
  const page = wholeNumber(search['page']);
  const limit = wholeNumber(search['limit']);
  const find = search['find'];
  const { orderBy, sortedBy, only } = search;
  return {
    ...(page !== null && page > 1 ? { page } : {}),
    ...(limit !== null && pageSizes.some((size) => size === limit) ? { limit } : {}),
    ...(typeof find === 'string' && find !== '' ? { find } : typeof find === 'number' ? { find: String(find) } : {}),
    ...(typeof orderBy === 'string' ? { orderBy } : {}),
    ...(sortedBy === 'asc' || sortedBy === 'desc' ? { sortedBy } : {}),
    ...(typeof only === 'string' && only !== '' ? { only } : {}),
  };
}

/** The next sort order of a column: ascending, descending, then the default order. */
export function nextOrder(state: ListState, column: string): ListState {
  const { orderBy, sortedBy, page: _page, ...rest } = state;
  if (orderBy !== column) return { ...rest, orderBy: column, sortedBy: 'asc' };
  return sortedBy === 'desc' ? rest : { ...rest, orderBy: column, sortedBy: 'desc' };
}

/** Changes the search or filters, and returns to the first page. */
export function withFilters(state: ListState, change: { find?: string; only?: string | undefined }): ListState {
  const { page: _page, find, only, ...rest } = state;
  const next = { find, only, ...change };
  return {
    ...rest,
    ...(next.find ? { find: next.find } : {}),
    ...(next.only ? { only: next.only } : {}),
  };
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number > 0 ? number : null;
}
