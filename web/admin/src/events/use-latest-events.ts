import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../../kit/api/client.ts';
import { searchQuery } from '../../../kit/list/search.ts';
import type { EventRow } from '../nouns/rows.ts';
import { sentenceText } from './event-sentence.ts';

/** The events of one resource, or of one customer with everything that belongs to it. */
export type About = { readonly resource_id: string } | { readonly customer_id: string };

const step = 25;

/** The latest events, kept up to date by the event stream, with those that arrived while they are shown. */
export function useLatestEvents(about: About) {
  const [limit, setLimit] = useState(step);
  const query = { ...searchQuery('', about), limit, count: false };
  const page = useQuery({
    queryKey: ['listEvents', about, limit],
    queryFn: async ({ signal }) => await client.listEvents({ query, signal }),
    placeholderData: keepPreviousData,
  });
  const events = page.data?.data;
  return {
    events: events ?? null,
    arrived: useArrived(events),
    error: page.error,
    retry: () => void page.refetch(),
    hasMore: page.data?.meta.pagination?.next_cursor != null,
    isLoadingMore: page.isPlaceholderData,
    showMore: () => setLimit(limit + step),
  };
}

interface Arrived {
  readonly ids: ReadonlySet<string>;
  /** For screen readers; empty until something has arrived. */
  readonly announcement: string;
}

/** New events, without older ones that were loaded on request. Ids increase with time. */
function useArrived(events: readonly EventRow[] | undefined): Arrived {
  const [arrived, setArrived] = useState<Arrived>({ ids: new Set(), announcement: '' });
  const previousEvents = useRef<readonly EventRow[] | null>(null);
  useEffect(() => {
    if (events === undefined) return;
    const before = previousEvents.current;
    previousEvents.current = events;
    if (before === null) return;
    const oldest = before.at(-1)?.id ?? '';
    const fresh = events.filter(({ id }) => id > oldest && before.every((earlier) => earlier.id !== id));
    const [first] = fresh;
    if (first === undefined) return;
    setArrived({
      ids: new Set(fresh.map(({ id }) => id)),
      announcement: fresh.length === 1 ? sentenceText(first) : `${fresh.length} new events`,
    });
  }, [events]);
  return arrived;
}
