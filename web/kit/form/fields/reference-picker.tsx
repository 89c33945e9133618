import { Loader, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Constraints, searchQuery } from '../../list/search.ts';
import { type Noun, type Row, pluralWithin } from '../../noun/noun.ts';
import { callEndpoint } from '../../api/client.ts';
import { SelectOnEnter } from '../select-on-enter.tsx';
import { useNouns } from '../../noun/app.tsx';

interface Props {
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  readonly error: string | null;
  readonly required: boolean;
  readonly prefix: IdentifierPrefix;
  readonly value: string | null;
  /** Filters for the choices. */
  readonly within?: Constraints;
  /** The id of a row that cannot be selected. */
  readonly excludedId?: string;
  /** Options render inside the surrounding popover, so that a click on them does not close it. */
  readonly isInPopover?: boolean;
  readonly onChange: (id: string | null) => void;
}

/** Selects a resource by name, with a search on the server. */
export function ReferencePicker({ prefix, value, onChange, ...input }: Props) {
  const noun = useNouns().findByPrefix(prefix);
  if (noun === null) throw new Error(`No resource type has the prefix ${prefix}`);
  return <Picker {...input} noun={noun} value={value} onChange={onChange} />;
}

function Picker({
  noun,
  value,
  onChange,
  isInPopover = false,
  within = {},
  excludedId,
  ...input
}: Omit<Props, 'prefix'> & { readonly noun: Noun }) {
  const [words, setWords] = useState('');
  const chosen = useQuery({
    queryKey: [noun.read, value],
    enabled: value !== null,
    queryFn: ({ signal }) =>
      callEndpoint(noun.read, { params: { [noun.param]: value ?? '' }, signal }) as Promise<{ data: Row }>,
  });
  const chosenRow = chosen.data?.data ?? null;
  // The search field shows the name of the selection.
  const typed = chosenRow !== null && words === noun.titleOf(chosenRow) ? '' : words;
  const [search] = useDebouncedValue(typed, 200);
  const result = useQuery({
    queryKey: ['pick', noun.list, search, within],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const include = noun.includes?.join(',');
      const query = { ...searchQuery(search, within), limit: 20, count: false, ...(include ? { include } : {}) };
      return (await callEndpoint(noun.list, { query, signal })) as { data: Row[] };
    },
  });
  const offered = [...(chosenRow ? [chosenRow] : []), ...(result.data?.data ?? [])].filter(
    ({ id }) => id !== excludedId,
  );
  const rows = new Map(offered.map((row) => [row.id, row]));
  return (
    <SelectOnEnter isSearching={typed !== search || result.isFetching}>
      <Select
        {...input}
        searchable
        comboboxProps={{ withinPortal: !isInPopover }}
        clearable={!input.required}
        placeholder={`Choose ${/^[aeio]/i.test(noun.singular) ? 'an' : 'a'} ${noun.singular}`}
        value={value}
        data={[...rows.values()].map((row) => ({ value: row.id, label: noun.titleOf(row) }))}
        filter={({ options }) => options}
        searchValue={words}
        onSearchChange={setWords}
        nothingFoundMessage={
          result.isFetching ? 'Searching…' : `No ${excludedId === undefined ? '' : 'other '}${pluralWithin(noun)} found`
        }
        rightSection={result.isFetching ? <Loader size={14} /> : null}
        allowDeselect={false}
        onChange={onChange}
        renderOption={({ option }) => {
          const row = rows.get(option.value);
          return (
            <div className="hit">
              <Text component="span" truncate fz="sm" title={option.label}>
                {option.label}
              </Text>
              <Text component="span" c="dimmed" fz="xs" truncate>
                {row && noun.detailOf(row)}
              </Text>
            </div>
          );
        }}
      />
    </SelectOnEnter>
  );
}
