import { Group, ScrollArea, Table, UnstyledButton } from '@mantine/core';
import { Waiting } from '../api/waiting.tsx';
import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Column } from './columns.ts';
import type { Noun, Row } from '../noun/noun.ts';
import { type ListState, nextOrder } from './list-state.ts';
import type { RowsProps } from './rows-props.ts';
import { Cell } from './cell.tsx';
import { toText } from '../format/to-text.ts';

export function ListTable({ noun, columns, rows, state, onStateChange, isStale, cells }: RowsProps) {
  const navigate = useNavigate();
  return (
    <ScrollArea type="auto" scrollbars="x" offsetScrollbars="present">
      <Table
        className="list"
        highlightOnHover
        style={{ opacity: isStale ? 0.6 : 1 }}
        aria-busy={rows === null || isStale}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Head key={column.name} column={column} state={state} onStateChange={onStateChange} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === null
            ? placeholders.map((number) => <PlaceholderRow key={number} columns={columns} />)
            : rows.map((row) => (
                <Table.Tr
                  key={row.id}
                  onClick={(event) => {
                    // A click on a link or button inside, or a selection of text, does not open the row.
                    if ((event.target as Element).closest('a, button') || window.getSelection()?.toString()) return;
                    void navigate({ to: '/$noun/$id', params: { noun: noun.path, id: row.id } });
                  }}
                >
                  {columns.map((column, index) => (
                    <Table.Td
                      key={column.name}
                      data-numeric={column.kind === 'number' || undefined}
                      data-whole={column.kind === 'instant' || wholeColumns.has(column.name) || undefined}
                    >
                      {index === 0 ? (
                        <TitleLink noun={noun} row={row} column={column} />
                      ) : (
                        <Cell cells={cells} column={column} row={row} />
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}

export function TitleLink({ noun, row, column }: { readonly noun: Noun; readonly row: Row; readonly column: Column }) {
  return (
    <Link to="/$noun/$id" params={{ noun: noun.path, id: row.id }} className="link" title={toText(row[column.name])}>
      {noun.isLog || noun.isNameless ? noun.titleOf(row) : toText(row[column.name]) || noun.titleOf(row)}
    </Link>
  );
}

/** Cells that are never truncated. */
const wholeColumns = new Set(['status', 'state', 'active', 'effective_status', 'ends_at']);

const placeholders = [1, 2, 3, 4, 5, 6];

function PlaceholderRow({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <Table.Tr>
      {columns.map(({ name }) => (
        <Table.Td key={name}>
          <Waiting h={12} my={5} w="70%" />
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function Head(props: {
  readonly column: Column;
  readonly state: ListState;
  readonly onStateChange: (state: ListState) => void;
}) {
  const { column, state } = props;
  const isNumeric = column.kind === 'number' || undefined;
  if (!column.sortable) return <Table.Th data-numeric={isNumeric}>{column.label}</Table.Th>;
  const direction = state.orderBy === column.name ? (state.sortedBy ?? 'asc') : null;
  const Icon = direction === null ? IconSelector : direction === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <Table.Th
      data-numeric={isNumeric}
      aria-sort={direction === null ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}
    >
      <UnstyledButton
        className="sort"
        data-sorted={direction !== null || undefined}
        onClick={() => props.onStateChange(nextOrder(state, column.name))}
      >
        <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
          {column.label}
          <Icon size={13} stroke={1.8} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}
