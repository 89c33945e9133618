import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../../kit/api/client.ts';
import { searchQuery } from '../../../kit/list/search.ts';
import type { EventRow } from '../nouns/rows.ts';
import { sentenceText } from './event-sentence.ts';

/** The events of one resource, or of one customer with everything that belongs to it. */
export type EventSubject = { readonly resource_id: string } | { readonly customer_id: string };

const pageSize = 25;

/** The latest events, and which of them are new since the list was opened. The event stream keeps them up to date. */
export function useLatestEvents(about: EventSubject) {
  const [limit, setLimit] = useState(pageSize);
  const query = { ...searchQuery('', about), limit, count: false };
  const page = useQuery({
    queryKey: ['listEvents', about, limit],
    queryFn: async ({ signal }) => await client.listEvents({ query, signal }),
    placeholderData: keepPreviousData,
  });
  const events = page.data?.data;
  return {
    events: events ?? null,
    newEvents: useNewEvents(events),
    error: page.error,
    retry: () => void page.refetch(),
    hasMore: page.data?.meta.pagination?.next_cursor != null,
    isLoadingMore: page.isPlaceholderData,
    showMore: () => setLimit(limit + pageSize),
  };
}

interface NewEvents {
  readonly ids: ReadonlySet<string>;
  /** For screen readers; empty until there are new events. */
  readonly announcement: string;
}

/** The events of the last refresh, not older events that were loaded on request. Ids increase with time. */
function useNewEvents(events: readonly EventRow[] | undefined): NewEvents {
  const [newEvents, setNewEvents] = useState<NewEvents>({ ids: new Set(), announcement: '' });
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
    setNewEvents({
      ids: new Set(fresh.map(({ id }) => id)),
      announcement: fresh.length === 1 ? sentenceText(first) : `${fresh.length} new events`,
    });
  }, [events]);
  return newEvents;
}
