import { ActionIcon, Button, Group, Input, Select, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { type Entry, type EntryType, entriesOf, mapOf } from './metadata-entries.ts';

interface Props {
  readonly label: string;
  readonly description: string | null;
  readonly error: string | null;
  readonly required: boolean;
  readonly faults: Readonly<Record<string, string>>;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Key-value pairs: texts, numbers, flags, and whole lists or objects as JSON. */
export function MetadataInput({ label, description, error, faults, value, onChange }: Props) {
  const [entries, setEntries] = useState<readonly Entry[]>(() => entriesOf(value));

  function change(next: readonly Entry[]): void {
    setEntries(next);
    onChange(mapOf(next));
  }
  function changeAt(index: number, changes: Partial<Entry>): void {
    change(entries.map((entry, at) => (at === index ? { ...entry, ...changes } : entry)));
  }

  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={error}>
      <Stack gap={6} mt={6} role="group" aria-label={label}>
        {entries.map((entry, index) => (
          <Group key={entry.number} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              aria-label="Key"
              placeholder="Key"
              style={{ flex: 2 }}
              value={entry.key}
              error={entry.key !== '' && faults[entry.key] !== undefined}
              onChange={(event) => changeAt(index, { key: event.currentTarget.value })}
            />
            <EntryValue entry={entry} onChange={(text) => changeAt(index, { text })} />
            <Select
              aria-label="Kind of value"
              w={96}
              allowDeselect={false}
              value={entry.type}
              data={entryTypes}
              onChange={(type) => changeAt(index, { type: (type ?? 'text') as EntryType })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove ${entry.key || 'this pair'}`}
              onClick={() => change(entries.filter((_entry, at) => at !== index))}
            >
              <IconTrash size={16} stroke={1.7} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => change([...entries, { number: nextNumber(entries), key: '', type: 'text', text: '' }])}
        >
          Add a pair
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

const entryTypes = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'flag', label: 'Yes/no' },
  { value: 'json', label: 'JSON' },
];

function EntryValue({ entry, onChange }: { readonly entry: Entry; readonly onChange: (text: string) => void }) {
  if (entry.type === 'flag') {
    return (
      <Select
        aria-label="Value"
        style={{ flex: 3 }}
        allowDeselect={false}
        value={entry.text === 'true' ? 'true' : 'false'}
        data={[
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        onChange={(next) => onChange(next ?? 'false')}
      />
    );
  }
  return (
    <TextInput
      aria-label="Value"
      placeholder="Value"
      style={{ flex: 3 }}
      value={entry.text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function nextNumber(entries: readonly Entry[]): number {
  return Math.max(0, ...entries.map(({ number }) => number)) + 1;
}
