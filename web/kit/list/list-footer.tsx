import { Group, Pagination as Pages, Select, Text } from '@mantine/core';
import type { Pagination } from '@foyer/contract/conventions/endpoint.ts';
import { defaultPageSize, type ListState, pageSizes } from './list-state.ts';

interface Props {
  readonly state: ListState;
  readonly onStateChange: (state: ListState) => void;
  readonly pagination: Pagination;
}

export function ListFooter({ state, onStateChange, pagination }: Props) {
  const { total = 0, total_pages: pages = 1, count } = pagination;
  const limit = state.limit ?? defaultPageSize;
  const page = state.page ?? 1;
  const first = (page - 1) * limit + 1;
  return (
    <Group justify="space-between" px="md" py="xs" gap="xs" style={{ borderTop: '1px solid var(--foyer-line)' }}>
      <Text fz="sm" c="dimmed" role="status">
        {total === 0 ? 'None' : `${first}–${first + count - 1} of ${total.toLocaleString('en-GB')}`}
      </Text>
      <Group gap="md">
        {pages > 1 && (
          <Pages
            size="sm"
            siblings={1}
            total={pages}
            value={page}
            withControls
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            onChange={(next) => {
              const { page: _page, ...rest } = state;
              onStateChange(next === 1 ? rest : { ...rest, page: next });
            }}
          />
        )}
        {total > pageSizes[0] && (
          <Select
            size="xs"
            w={92}
            aria-label="Rows per page"
            allowDeselect={false}
            value={String(limit)}
            data={pageSizes.map((size) => ({ value: String(size), label: `${size} rows` }))}
            onChange={(value) => {
              const { page: _page, limit: _limit, ...rest } = state;
              onStateChange(Number(value) === defaultPageSize ? rest : { ...rest, limit: Number(value) });
            }}
          />
        )}
      </Group>
    </Group>
  );
}
