import { useQuery } from '@tanstack/react-query';
import type { Noun } from '../../../kit/noun/noun.ts';
import { callEndpoint } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

/** The number of resources that match; null while it is loading or if the caller may not list them. */
export function useTotal(noun: Noun, search?: string): number | null {
  const may = useMay();
  const total = useQuery({
    queryKey: ['total', noun.list, search],
    enabled: may(noun.list),
    queryFn: async ({ signal }) => {
      const query = { limit: 1, filter: 'id', ...(search === undefined ? {} : { search }) };
      const page = (await callEndpoint(noun.list, { query, signal })) as { meta: { pagination?: { total?: number } } };
      return page.meta.pagination?.total ?? 0;
    },
  });
  return total.data ?? null;
}
