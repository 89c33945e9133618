import { CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { Column } from '../fields/columns.ts';
import { wordOf } from '../fields/label.ts';
import { parseConstraints, printConstraints } from '../fields/search.ts';
import type { Noun } from '../nouns/noun.ts';
import { type ColumnChoice, ColumnPicker } from './column-choice.tsx';
import { type ListState, narrowed } from './list-state.ts';

interface Props {
  readonly noun: Noun;
  readonly state: ListState;
  readonly onStateChange: (state: ListState) => void;
  readonly columns: readonly Column[];
  readonly choice: ColumnChoice;
}

export function ListToolbar({ noun, state, onStateChange, columns, choice }: Props) {
  const chosen = parseConstraints(state.only, noun.filters);
  return (
    <Group px="md" py="sm" gap="xs" style={{ borderBottom: '1px solid var(--foyer-line)' }}>
      <FindInput
        label={`Search ${noun.plural.toLowerCase()}`}
        value={state.find ?? ''}
        onChange={(find) => onStateChange(narrowed(state, { find }))}
      />
      {noun.filters.map((name) => {
        const column = columns.find((candidate) => candidate.name === name);
        return column === undefined ? null : (
          <Select
            key={name}
            aria-label={column.label}
            placeholder={column.label}
            clearable
            w={{ base: 'calc(50% - 30px)', xs: 160 }}
            value={chosen[name] ?? null}
            data={column.choices.map((value) => ({ value, label: wordOf(value) }))}
            onChange={(value) =>
              onStateChange(narrowed(state, { only: printConstraints({ ...chosen, [name]: value ?? '' }) }))
            }
          />
        );
      })}
      <ColumnPicker noun={noun} columns={columns} choice={choice} />
    </Group>
  );
}

function FindInput(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (words: string) => void;
}) {
  const [words, setWords] = useState(props.value);
  const [known, setKnown] = useState(props.value);
  const report = useDebouncedCallback((next: string) => {
    setKnown(next.trim());
    props.onChange(next.trim());
  }, 250);
  // Somebody else changed it: the button that shows all, or the way back in the browser.
  if (known !== props.value) {
    setKnown(props.value);
    setWords(props.value);
  }
  function change(next: string): void {
    setWords(next);
    report(next);
  }
  return (
    <TextInput
      type="search"
      style={{ flex: '1 1 220px' }}
      aria-label={props.label}
      placeholder={props.label}
      leftSection={<IconSearch size={16} stroke={1.7} />}
      value={words}
      onChange={(event) => change(event.currentTarget.value)}
      rightSection={
        words === '' ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={() => change('')} />
      }
    />
  );
}
