import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useMay } from '../../../kit/noun/app.tsx';
import { isAffected } from './affected-queries.ts';
import { followEvents } from './event-feed.ts';

/** Refreshes queries when events have changed their data. Renders nothing. */
export function LiveUpdates() {
  const queries = useQueryClient();
  const may = useMay();
  const mayRead = may('streamEvents');
  useEffect(() => {
    const refresh = collectRefreshes(queries);
    return followEvents({
      mayRead,
      onEvent: (event) => refresh((queryKey) => isAffected(queryKey, event)),
      onGap: () => refresh(() => true),
    });
  }, [queries, mayRead]);
  return null;
}

/** Events that happen together lead to one request for each query. */
const collectMs = 300;

type Affects = (queryKey: QueryKey) => boolean;

function collectRefreshes(queries: QueryClient): (affects: Affects) => void {
  let pending: Affects[] = [];
  let isRefreshing = false;

  async function refresh(): Promise<void> {
    isRefreshing = true;
    while (pending.length > 0) {
      // The resource of an open dialog is not refreshed, since its save is compared with the version that was opened.
      do await new Promise((resolve) => setTimeout(resolve, collectMs));
      while (document.querySelector('[role="dialog"]') !== null);
      const collected = pending;
      pending = [];
      await queries.invalidateQueries({
        predicate: ({ queryKey }) => collected.some((affects) => affects(queryKey)),
      });
    }
    isRefreshing = false;
  }

  return (affects) => {
    pending.push(affects);
    if (!isRefreshing) void refresh();
  };
}
