import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { client } from '../../../kit/api/client.ts';
import { type EventGroup, eventGroups } from './event-patterns.ts';

/** All event types, grouped by resource. */
export function useEventGroups(): UseQueryResult<EventGroup[]> {
  return useQuery({
    queryKey: ['listEventTypes'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const query = { limit: 0, filter: 'name;description' };
      const { data } = await client.listEventTypes({ query, signal });
      return eventGroups(data);
    },
  });
}
