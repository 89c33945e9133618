import { eventTypes, resourceTypes } from '@foyer/contract/conventions/event-types.ts';
import { Autocomplete, Badge, Button, Popover, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useState } from 'react';
import type { Column } from './columns.ts';
import { fromLocalInput, toLocalInput } from '../format/instants.ts';
import { wordOf } from '../format/label.ts';
import { type Constraints, printRange, rangeOf } from './search.ts';
import { ReferencePicker } from '../form/fields/reference-picker.tsx';
import { useMay, useNouns } from '../noun/app.tsx';

interface Props {
  readonly columns: readonly Column[];
  readonly chosen: Constraints;
  readonly onChange: (chosen: Constraints) => void;
}

/** The filters of a list with many filters, each with an input for its field. */
export function ListFilters({ columns, chosen, onChange }: Props) {
  const count = columns.filter(({ name }) => chosen[name] !== undefined).length;
  return (
    <Popover position="bottom-end" shadow="md" width={340} trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} stroke={1.7} />}
          rightSection={
            count > 0 && (
              <Badge size="sm" circle>
                {count}
              </Badge>
            )
          }
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="md" mah="70vh" style={{ overflowY: 'auto' }}>
        <Stack gap="sm">
          {columns.map((column) => (
            <Filter
              key={column.name}
              column={column}
              value={chosen[column.name] ?? ''}
              onChange={(value) => onChange({ ...chosen, [column.name]: value })}
            />
          ))}
          <Button variant="default" size="xs" disabled={count === 0} onClick={() => onChange({})}>
            Show all
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface FilterProps {
  readonly column: Column;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Filter({ column, value, onChange }: FilterProps) {
  const may = useMay();
  const nouns = useNouns();
  if (column.kind === 'instant') return <PeriodFilter column={column} value={value} onChange={onChange} />;
  if (column.choices.length > 0) {
    return (
      <Select
        label={column.label}
        clearable
        comboboxProps={{ withinPortal: false }}
        value={value || null}
        data={column.choices.map((choice) => ({ value: choice, label: wordOf(choice) }))}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  }
  // Offers administrators, because most searches are for them. A filter by user can only be set by a link.
  const isAdmin = column.name === 'actor_id' && (value === '' || value.startsWith('admin_')) && may('listAdmins');
  const prefix = isAdmin ? 'admin' : column.refersTo;
  if (prefix !== null && nouns.findByPrefix(prefix) !== null) {
    return (
      <ReferencePicker
        name={column.name}
        label={isAdmin ? 'Administrator' : column.label}
        description={null}
        error={null}
        required={false}
        prefix={prefix}
        value={value || null}
        isInPopover
        onChange={(id) => onChange(id ?? '')}
      />
    );
  }
  return <WordFilter key={value} column={column} value={value} onChange={onChange} />;
}

function WordFilter({ column, value, onChange }: FilterProps) {
  const [words, setWords] = useState(value);
  const report = useDebouncedCallback((next: string) => onChange(next.replaceAll(';', ' ').trim()), 500);
  return (
    <Autocomplete
      label={column.label}
      data={suggestionsFor(column.name)}
      limit={100}
      comboboxProps={{ withinPortal: false }}
      placeholder={examples[column.name] ?? ''}
      value={words}
      onChange={(next) => {
        setWords(next);
        report(next);
      }}
    />
  );
}

function suggestionsFor(name: string): string[] {
  if (name === 'action' || name === 'name') return eventTypes.map((type) => type.name);
  return name === 'resource_type' ? [...resourceTypes] : [];
}

const examples: Readonly<Record<string, string>> = {
  name: 'room.updated, or room',
  actor_id: 'admin_… or user_…',
  action: 'room.created, or room',
  resource_type: 'Room',
  resource_id: 'room_…',
  address: '203.0.113.7',
};

function PeriodFilter({ column, value, onChange }: FilterProps) {
  const { from, to } = rangeOf(value) ?? { from: '', to: '' };
  const ends = [
    { label: 'From', value: from, set: (next: string) => printRange(next, to) },
    { label: 'Until', value: to, set: (next: string) => printRange(from, next) },
  ];
  return (
    <Stack gap={6} role="group" aria-label={column.label}>
      <Text fz="sm" fw={500} aria-hidden>
        {column.label}
      </Text>
      {ends.map((end) => (
        <TextInput
          key={end.label}
          aria-label={end.label}
          leftSection={<Text fz="sm">{end.label}</Text>}
          leftSectionWidth={56}
          type="datetime-local"
          value={end.value === '' ? '' : toLocalInput(end.value)}
          onChange={({ currentTarget: { value: next } }) => onChange(end.set(next === '' ? '' : fromLocalInput(next)))}
        />
      ))}
    </Stack>
  );
}
