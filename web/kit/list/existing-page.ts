import type { Pagination } from '@foyer/contract/conventions/endpoint.ts';
import { useEffect } from 'react';
import type { ListState } from './list-state.ts';

interface ListResult {
  readonly data: { readonly meta: { readonly pagination?: Pagination } } | undefined;
  /** Whether `data` is of an earlier query. */
  readonly isPlaceholderData: boolean;
}

/** Shows the last page if the current one no longer exists, for example after its only row was deleted. */
export function useExistingPage(
  state: ListState,
  onStateChange: (state: ListState) => void,
  { data, isPlaceholderData }: ListResult,
): void {
  const pagination = isPlaceholderData ? undefined : data?.meta.pagination;
  const lastPage = Math.max(1, pagination?.total_pages ?? state.page ?? 1);
  const isBeyond = (state.page ?? 1) > lastPage;
  useEffect(() => {
    if (!isBeyond) return;
    const { page: _page, ...rest } = state;
    onStateChange(lastPage === 1 ? rest : { ...rest, page: lastPage });
  }, [isBeyond, lastPage, state, onStateChange]);
}
