import { Badge, Code, Group, Table, Text } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { Absent } from '../fields/field-value.tsx';
import { formatInstant } from '../fields/instants.ts';
import { labelOf } from '../fields/label.ts';
import { words } from '../fields/words.ts';
import { type Difference, differencesOf, isBookkeeping, isMask } from './differences.ts';

interface Props {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** What was there, and what is there now. */
export function DifferenceTable({ before, after }: Props) {
  const differences = differencesOf(before, after);
  if (differences.length === 0) {
    return (
      <Text c="dimmed" px="lg" py="md">
        Nothing that is stored was changed by it.
      </Text>
    );
  }
  return (
    <div className="scroll-x">
      <Table className="list differences" data-still>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="26%">Field</Table.Th>
            {before !== null && <Table.Th>Before</Table.Th>}
            {after !== null && <Table.Th>{before === null ? 'Value' : 'After'}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map((difference) => (
            <Table.Tr key={difference.name} data-quiet={isBookkeeping(difference.name) || undefined}>
              <Table.Td fw={540}>{labelOf(difference.name)}</Table.Td>
              {difference.words ? (
                <Table.Td colSpan={2}>
                  <WordChanges words={difference.words} />
                </Table.Td>
              ) : (
                <>
                  {before !== null && (
                    <Table.Td data-label="Before" data-side="before">
                      <Value difference={difference} side="before" />
                    </Table.Td>
                  )}
                  {after !== null && (
                    <Table.Td data-label={before === null ? undefined : 'After'} data-side="after">
                      <Value difference={difference} side="after" />
                    </Table.Td>
                  )}
                </>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Value({ difference, side }: { readonly difference: Difference; readonly side: 'before' | 'after' }) {
  const value = difference[side];
  if (value === undefined || value === null || value === '') return <Absent />;
  if (isMask(value)) return <Text c="dimmed">{side === 'before' ? 'a secret' : 'set; secrets are never shown'}</Text>;
  if (typeof value === 'boolean') return <>{value ? 'Yes' : 'No'}</>;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? <Absent /> : <>{value.join(', ')}</>;
  }
  if (typeof value === 'object') return <Code block>{JSON.stringify(value, null, 2)}</Code>;
  const text = words(value);
  return <>{instant.test(text) ? formatInstant(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')) : text}</>;
}

/** As the database prints an instant, or JSON does. */
const instant = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/;

function WordChanges({ words: changes }: { readonly words: NonNullable<Difference['words']> }) {
  return (
    <Group gap={6}>
      {changes.added.map((word) => (
        <Badge
          key={word}
          color="pine"
          variant="light"
          tt="none"
          leftSection={<IconPlus size={11} aria-label="added" />}
        >
          {word}
        </Badge>
      ))}
      {changes.removed.map((word) => (
        <Badge
          key={word}
          color="red"
          variant="light"
          tt="none"
          td="line-through"
          leftSection={<IconMinus size={11} aria-label="removed" />}
        >
          {word}
        </Badge>
      ))}
      {changes.kept.length > 0 && (
        <Text fz="sm" c="dimmed">
          {changes.kept.length} as before
        </Text>
      )}
    </Group>
  );
}
