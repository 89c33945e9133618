import { Box, Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Pagination } from '@foyer/contract/conventions/endpoint.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { columnsOf, includesOf, relationshipColumn } from './columns.ts';
import { type Constraints, searchQuery } from './search.ts';
import { FailureNotice, Placeholder } from '../display/notices/notices.tsx';
import { type Noun, type Row, pluralWithin } from '../noun/noun.ts';
import { resourceOf } from '../noun/resource-of.ts';
import { callEndpoint } from '../api/client.ts';
import type { Cells } from './cell.tsx';
import { useShownColumns } from './column-choice.tsx';
import { ListCards } from './list-cards.tsx';
import { useExistingPage } from './existing-page.ts';
import { ListFooter } from './list-footer.tsx';
import { defaultPageSize, type ListState } from './list-state.ts';
import { readFilters } from './read-filters.ts';
import { ListTable } from './list-table.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { useNouns } from '../noun/app.tsx';
import type { RowsProps } from './rows-props.ts';

export interface ListPage {
  readonly data: readonly Row[];
  readonly meta: { readonly pagination?: Pagination };
}

interface Props {
  readonly noun: Noun;
  readonly state: ListState;
  readonly onStateChange: (state: ListState) => void;
  /** Fixed filters from the page that contains the list. */
  readonly within?: Constraints;
  /** Path parameters of a nested list. */
  readonly params?: Readonly<Record<string, string>>;
  readonly emptyAction?: ReactNode;
  readonly cells?: Cells | undefined;
}

/** A list of resources of any kind. The platform sorts, searches and pages it. */
export function ResourceList({ noun, state, onStateChange, within = {}, params = {}, emptyAction, cells }: Props) {
  const isNarrow = useMediaQuery('(max-width: 48em)', window.matchMedia('(max-width: 48em)').matches);
  const nouns = useNouns();
  const allColumns = useMemo(
    () => [
      ...columnsOf(resourceOf(noun), nouns.prefixOfObject).map((column) => ({
        ...column,
        label: noun.heads?.[column.name] ?? column.label,
      })),
      ...Object.entries(noun.relationships ?? {}).map(([name, label = name]) => relationshipColumn(name, label)),
    ],
    [noun, nouns],
  );
  const choice = useShownColumns(noun, allColumns);
  const visibleColumns = choice.shown.filter(({ name }) => !(name in within));
  const [chosen, parameters] = readFilters(noun, state);
  const include =
    [...new Set([includesOf(visibleColumns)?.split(',') ?? [], noun.includes ?? []].flat())].join(',') || undefined;
  const query = {
    limit: state.limit ?? defaultPageSize,
    page: state.page ?? 1,
    ...(state.orderBy ? { orderBy: state.orderBy, sortedBy: state.sortedBy ?? 'asc' } : noun.order),
    ...searchQuery(state.find ?? '', { ...within, ...chosen }),
    ...parameters,
    ...(include === undefined ? {} : { include }),
  };
  const page = useQuery({
    queryKey: [noun.list, params, query],
    queryFn: ({ signal }) => callEndpoint(noun.list, { params, query, signal }) as Promise<ListPage>,
    placeholderData: keepPreviousData,
  });
  useExistingPage(state, onStateChange, page);
  const isFiltered = Boolean(state.find) || Object.keys({ ...chosen, ...parameters }).length > 0;
  return (
    <Box className="panel">
      <ListToolbar noun={noun} state={state} onStateChange={onStateChange} columns={allColumns} choice={choice} />
      {page.error && !page.data ? (
        <FailureNotice error={page.error} onRetry={() => void page.refetch()} />
      ) : page.data?.data.length === 0 ? (
        <Empty noun={noun} isFiltered={isFiltered} onReset={() => onStateChange({})} action={emptyAction} />
      ) : (
        <Rows
          isNarrow={isNarrow}
          noun={noun}
          columns={visibleColumns}
          cells={cells}
          rows={page.data?.data ?? null}
          state={state}
          onStateChange={onStateChange}
          isStale={page.isPlaceholderData}
        />
      )}
      {page.data && page.data.data.length > 0 && page.data.meta.pagination && (
        <ListFooter state={state} onStateChange={onStateChange} pagination={page.data.meta.pagination} />
      )}
    </Box>
  );
}

function Rows({ isNarrow, ...props }: RowsProps & { readonly isNarrow: boolean }) {
  return isNarrow ? <ListCards {...props} /> : <ListTable {...props} />;
}

function Empty(props: {
  readonly noun: Noun;
  readonly isFiltered: boolean;
  readonly onReset: () => void;
  readonly action: ReactNode;
}) {
  const Icon = props.noun.icon;
  const plural = pluralWithin(props.noun);
  if (props.isFiltered) {
    return (
      <Placeholder
        title="Nothing matches"
        icon={<Icon stroke={1.4} />}
        action={
          <Button variant="default" size="xs" onClick={props.onReset}>
            Show all
          </Button>
        }
      >
        No {plural} match your search.
      </Placeholder>
    );
  }
  return (
    <Placeholder
      title={`No ${plural} yet`}
      icon={<Icon stroke={1.4} />}
      action={props.action && <Group>{props.action}</Group>}
    >
      {props.noun.emptyText}
    </Placeholder>
  );
}
