import { Group, MultiSelect, Text } from '@mantine/core';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { useQuery } from '@tanstack/react-query';
import { type Row, pluralWithin } from '../../noun/noun.ts';
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
  readonly value: string[];
  readonly onChange: (ids: string[]) => void;
}

/** Selects several resources of a kind with few resources, such as roles. */
export function ReferencesPicker({ prefix, ...input }: Props) {
  const noun = useNouns().findByPrefix(prefix);
  if (noun === null) throw new Error(`No resource has the prefix ${prefix}`);
  const result = useQuery({
    queryKey: ['pick', noun.list, 'all'],
    queryFn: ({ signal }) =>
      callEndpoint(noun.list, { query: { limit: 0, count: false }, signal }) as Promise<{ data: Row[] }>,
  });
  const rows = result.data?.data ?? [];
  return (
    <SelectOnEnter>
      <MultiSelect
        {...input}
        searchable
        clearable
        placeholder={input.value.length === 0 ? `Choose ${pluralWithin(noun)}` : ''}
        data={rows.map((row) => ({ value: row.id, label: noun.titleOf(row) }))}
        nothingFoundMessage={`No ${pluralWithin(noun)} found`}
        renderOption={({ option }) => {
          const row = rows.find(({ id }) => id === option.value);
          return (
            <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
              <Text truncate fz="sm">
                {option.label}
              </Text>
              <Text c="dimmed" fz="xs" truncate>
                {row && noun.detailOf(row)}
              </Text>
            </Group>
          );
        }}
      />
    </SelectOnEnter>
  );
}
