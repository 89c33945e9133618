import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useMay } from '../../../kit/noun/app.tsx';
import { type EventAbout, isAffected } from './affected-queries.ts';
import { followEvents } from './event-feed.ts';

/** Reads again what events have changed. Shows nothing. */
export function LiveUpdates() {
  const queries = useQueryClient();
  const may = useMay();
  const mayRead = may('streamEvents');
  useEffect(() => {
    const refresh = collectRefreshes(queries);
    return followEvents({ mayRead, onEvent: refresh, onGap: () => void queries.invalidateQueries() });
  }, [queries, mayRead]);
  return null;
}

/** Events that happen together lead to one request for each query. */
const collectMs = 300;

function collectRefreshes(queries: QueryClient): (event: EventAbout) => void {
  let events: EventAbout[] = [];
  let isRefreshing = false;

  async function refresh(): Promise<void> {
    isRefreshing = true;
    while (events.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, collectMs));
      const collected = events;
      events = [];
      await queries.invalidateQueries({
        predicate: ({ queryKey }) => collected.some((event) => isAffected(queryKey, event)),
      });
    }
    isRefreshing = false;
  }

  return (event) => {
    events.push(event);
    if (!isRefreshing) void refresh();
  };
}
