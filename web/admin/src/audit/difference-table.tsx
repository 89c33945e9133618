import { isMask } from '../../../kit/format/to-text.ts';
import { Badge, Group, Table, Text } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { labelOf } from '../../../kit/format/label.ts';
import { type Difference, differencesOf, isBookkeeping } from './differences.ts';
import { MemberValue } from '../../../kit/display/member-value.tsx';

interface Props {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Shows the changed members with their old and new values. */
export function DifferenceTable({ before, after }: Props) {
  const differences = differencesOf(before, after);
  if (differences.length === 0) {
    return (
      <Text c="dimmed" px="lg" py="md">
        No stored data was changed.
      </Text>
    );
  }
  return (
    <div className="scroll-x">
      <Table className="list differences" data-static>
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
                      <Value difference={difference} side="before" values={before} />
                    </Table.Td>
                  )}
                  {after !== null && (
                    <Table.Td data-label={before === null ? undefined : 'After'} data-side="after">
                      <Value difference={difference} side="after" values={after} />
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

function Value(props: {
  readonly difference: Difference;
  readonly side: 'before' | 'after';
  readonly values: Readonly<Record<string, unknown>>;
}) {
  const { difference, side, values } = props;
  const value = difference[side];
  if (isMask(value)) return <Text c="dimmed">{side === 'before' ? 'a secret' : 'set; secrets are never shown'}</Text>;
  return <MemberValue name={difference.name} value={value} values={values} />;
}

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
          {changes.kept.length} unchanged
        </Text>
      )}
    </Group>
  );
}
