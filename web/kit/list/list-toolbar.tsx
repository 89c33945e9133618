import { CloseButton, Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { Column } from './columns.ts';
import { NamedReference } from '../display/field-value.tsx';
import { formatInstant } from '../format/instants.ts';
import { wordOf } from '../format/label.ts';
import { type Constraints, printConstraints, rangeOf } from './search.ts';
import { type Noun, pluralWithin } from '../noun/noun.ts';
import { useMay, useNouns } from '../noun/app.tsx';
import { type ColumnChoice, ColumnPicker } from './column-choice.tsx';
import { ListFilters } from './list-filters.tsx';
import { type ListState, withFilters } from './list-state.ts';
import { readFilters } from './read-filters.ts';
import { filterForPasted } from './pasted.ts';

interface Props {
  readonly noun: Noun;
  readonly state: ListState;
  readonly onStateChange: (state: ListState) => void;
  readonly columns: readonly Column[];
  readonly choice: ColumnChoice;
}

export function ListToolbar({ noun, state, onStateChange, columns, choice }: Props) {
  const [byField, byParameter] = readFilters(noun, state);
  const chosen = { ...byField, ...byParameter };
  const filters = noun.filters.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  const choose = (next: Constraints) => onStateChange(withFilters(state, { only: printConstraints(next) }));
  return (
    <Group className="list-tools" px="md" py="sm" gap="xs" style={{ borderBottom: '1px solid var(--foyer-line)' }}>
      <FindInput
        label={noun.isLog ? 'Search, or paste an id' : `Search ${pluralWithin(noun)}`}
        value={state.find ?? ''}
        onChange={(find) => {
          const pasted = noun.isLog ? filterForPasted(find, noun.filters) : null;
          if (pasted === null) return onStateChange(withFilters(state, { find }));
          onStateChange(withFilters(state, { find: '', only: printConstraints({ ...chosen, ...pasted }) }));
          return 'taken';
        }}
      />
      {filters.length > 2 ? (
        <ListFilters columns={filters} chosen={byField} onChange={(next) => choose({ ...byParameter, ...next })} />
      ) : (
        filters.map(({ name, label, choices }) => (
          <Select
            key={name}
            aria-label={label}
            placeholder={label}
            clearable
            className="list-filter"
            w={{ base: 'calc(50% - 30px)', xs: 160 }}
            value={chosen[name] ?? null}
            data={choices.map((value) => ({ value, label: wordOf(value) }))}
            onChange={(value) => choose({ ...chosen, [name]: value ?? '' })}
          />
        ))
      )}
      {Object.entries(noun.parameters ?? {}).map(([name, { label, choices }]) => (
        <Select
          key={name}
          aria-label={label}
          placeholder={label}
          clearable
          className="list-parameter"
          w={{ base: '100%', xs: 215 }}
          value={chosen[name] ?? null}
          data={[...choices]}
          onChange={(value) => choose({ ...chosen, [name]: value ?? '' })}
        />
      ))}
      <ColumnPicker noun={noun} columns={columns} choice={choice} />
      {filters.length > 2 && <ChosenFilters columns={filters} chosen={chosen} onChange={choose} />}
    </Group>
  );
}

/** The active filters, each with a button to remove it. */
function ChosenFilters(props: {
  readonly columns: readonly Column[];
  readonly chosen: Constraints;
  readonly onChange: (chosen: Constraints) => void;
}) {
  const filtered = props.columns.filter(({ name }) => props.chosen[name] !== undefined);
  if (filtered.length === 0) return null;
  return (
    <Group gap={6} w="100%" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {filtered.map(({ name, label }) => (
        <Group key={name} component="li" className="chip" gap={4} wrap="nowrap">
          <Text component="span" fz="sm" truncate>
            {label}: <ChosenValue name={name} value={props.chosen[name] ?? ''} />
          </Text>
          <CloseButton
            size="xs"
            aria-label={`Remove the filter ${label}`}
            onClick={() => props.onChange({ ...props.chosen, [name]: '' })}
          />
        </Group>
      ))}
    </Group>
  );
}

/** Shows the name of a filter value that is an id. */
function ChosenValue({ name, value }: { readonly name: string; readonly value: string }) {
  const may = useMay();
  const noun = useNouns().findById(value);
  if (noun === null || !may(noun.read)) return <>{formatFilterValue(name, value)}</>;
  return <NamedReference noun={noun} id={value} />;
}

function formatFilterValue(name: string, value: string): string {
  const range = rangeOf(value);
  if (range === null) return name.endsWith('_type') ? wordOf(value) : value;
  const [from, to] = [range.from, range.to].map((end) => (end === '' ? '' : formatInstant(end)));
  return from === '' ? `until ${to}` : to === '' ? `from ${from}` : `${from} – ${to}`;
}

export function FindInput(props: {
  readonly label: string;
  readonly value: string;
  /** 'taken' if the text was used as a filter instead. */
  readonly onChange: (words: string) => 'taken' | void;
}) {
  const [words, setWords] = useState(props.value);
  const [reported, setReported] = useState(props.value);
  const report = useDebouncedCallback((next: string) => {
    const text = next.trim();
    setReported(text);
    if (props.onChange(text) === 'taken') {
      setReported('');
      setWords('');
    }
  }, 250);
  // Changed from outside: by "Show all", or by the browser's back button.
  if (reported !== props.value) {
    setReported(props.value);
    setWords(props.value);
  }
  function change(next: string): void {
    setWords(next);
    report(next);
  }
  return (
    <TextInput
      type="search"
      className="list-find"
      style={{ flex: '1 1 150px' }}
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
