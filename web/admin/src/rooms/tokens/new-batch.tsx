import {
  Alert,
  Anchor,
  Button,
  FileButton,
  Group,
  Select,
  SegmentedControl,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { mostTokensOfBatch } from '@foyer/contract/resources/room-token.ts';
import { roomRoles } from '@foyer/contract/resources/room.ts';
import { FoyerError } from '@foyer/sdk';
import { IconAlertCircle, IconUpload } from '@tabler/icons-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { fromLocalInput } from '../../../../kit/format/instants.ts';
import { inLabels } from '../../../../kit/format/sentences.ts';
import { wordOf } from '../../../../kit/format/label.ts';
import { NumberField } from '../../../../kit/form/number-field.tsx';
import { SideDrawer, useDrawerClose } from '../../../../kit/dialog/side-drawer.tsx';
import { RefusalAlert } from '../../../../kit/display/notices.tsx';
import { client, refreshEverything } from '../../../../kit/api/client.ts';
import { batchColumns, type BatchRow, hasFaults, readBatch, withFaults } from './batch-rows.ts';

interface Props {
  readonly roomId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Many tokens at once: so many alike, or one for each row of a list. */
export function NewBatch({ roomId, isOpen, onClose }: Props) {
  return (
    <SideDrawer title="Make many tokens" isOpen={isOpen} onClose={onClose} size={720}>
      <BatchForm roomId={roomId} onDone={onClose} />
    </SideDrawer>
  );
}

interface Alike {
  readonly count: unknown;
  readonly role: string;
  readonly prefix: string;
  readonly expiresAt: string;
  readonly maxUses: unknown;
}

const most = mostTokensOfBatch.toLocaleString('en-GB');

function BatchForm({ roomId, onDone }: { readonly roomId: string; readonly onDone: () => void }) {
  const [way, setWay] = useState<'alike' | 'list'>('list');
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [alike, setAlike] = useState<Alike>({ count: 20, role: 'attendee', prefix: '', expiresAt: '', maxUses: '' });
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isDirty = text !== '' || name !== '' || alike.prefix !== '';
  const close = useDrawerClose(isDirty && !isBusy);
  const read = useDeferredValue(text);
  const reading = useMemo(() => (read.trim() === '' ? null : readBatch(read)), [read]);
  const errors = useMemo(() => (failure instanceof FoyerError ? failure.errors : {}), [failure]);
  const rows = useMemo(() => (reading === null ? [] : withFaults(reading.rows, errors)), [reading, errors]);
  const isReady = way === 'alike' ? isCount(alike.count) : reading?.problem === null && !rows.some(hasFaults);

  async function submit(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      const named = name.trim() === '' ? {} : { name: name.trim() };
      const body = way === 'list' ? { ...named, csv: text } : { ...named, tokens: tokensOf(alike) };
      await client.createRoomTokenBatch({ params: { room_id: roomId }, body });
      await refreshEverything();
      onDone();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  function change(next: string): void {
    setText(next);
    setFailure(null);
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack p="xl" pt="lg" gap="lg">
        {failure !== null && !Object.keys(errors).some((path) => path.startsWith('tokens.')) && (
          <RefusalAlert error={failure} />
        )}
        <SegmentedControl
          aria-label="How they are made"
          value={way}
          onChange={(next) => setWay(next === 'alike' ? 'alike' : 'list')}
          data={[
            { value: 'list', label: 'From a list' },
            { value: 'alike', label: 'So many alike' },
          ]}
        />
        <TextInput
          label="Name of the batch"
          description="To find it again: for whom or what it is."
          maxLength={150}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {way === 'alike' ? (
          <AlikeFields value={alike} onChange={setAlike} />
        ) : (
          <ListField text={text} onChange={change} />
        )}
        {way === 'list' && reading !== null && (
          <Preview problem={reading.problem} columns={reading.columns} rows={rows} />
        )}
      </Stack>
      <Group className="form-foot" justify="flex-end" px="xl" py="md">
        <Button variant="default" onClick={close ?? onDone}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy} disabled={!isReady}>
          {way === 'list' && rows.length > 0 ? `Make ${counted(rows.length, 'token')}` : 'Make the tokens'}
        </Button>
      </Group>
    </form>
  );
}

function ListField({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  return (
    <Stack gap="xs">
      <Textarea
        label="List, as CSV"
        description={`The first line names the columns: ${batchColumns.join(', ')}. Only role is needed. With email, that of a user, the link is for them alone. A day alone is its beginning, at 00:00 UTC. Up to ${most} rows.`}
        placeholder={example}
        autosize
        minRows={6}
        maxRows={14}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files;
          if (file === undefined) return;
          event.preventDefault();
          void file.text().then(onChange);
        }}
      />
      <Group gap="md">
        <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={(file) => void file?.text().then(onChange)}>
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={14} />}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Anchor fz="sm" href={`data:text/csv;charset=utf-8,${encodeURIComponent(example)}`} download="tokens.csv">
          Download an example
        </Anchor>
      </Group>
    </Stack>
  );
}

const example = `role,name,not_before,expires_at,max_uses
moderator,Ada Lovelace,,,
attendee,Grace Hopper,2027-01-31T09:00:00Z,2027-01-31T12:00:00Z,1
attendee,Alan Turing,,2027-02-28,
`;

function AlikeFields({ value, onChange }: { readonly value: Alike; readonly onChange: (value: Alike) => void }) {
  return (
    <Stack gap="md">
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <NumberField
          name="count"
          label="How many"
          description={`Up to ${most}.`}
          error={value.count === '' || value.count === undefined || isCount(value.count) ? null : `From 1 to ${most}.`}
          required
          rule={{ minimum: 1, maximum: mostTokensOfBatch, decimals: 0 }}
          value={value.count as number}
          onChange={(count) => onChange({ ...value, count })}
        />
        <Select
          label="Role"
          description="Of all of them."
          allowDeselect={false}
          value={value.role}
          data={roomRoles.map((role) => ({ value: role, label: wordOf(role) }))}
          onChange={(role) => onChange({ ...value, role: role ?? 'attendee' })}
        />
      </Group>
      <TextInput
        label="Called"
        description="Numbered: “Seat” gives “Seat 1”, “Seat 2” and so on. Without it they have no names."
        maxLength={140}
        value={value.prefix}
        onChange={(event) => onChange({ ...value, prefix: event.currentTarget.value })}
      />
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          type="datetime-local"
          label="Expires"
          description="They never expire when left empty."
          value={value.expiresAt}
          onChange={(event) => onChange({ ...value, expiresAt: event.currentTarget.value })}
        />
        <NumberField
          name="max_uses"
          label="Uses of each"
          description="As often as one likes when left empty."
          error={null}
          required={false}
          rule={{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, decimals: 0 }}
          value={value.maxUses as number}
          onChange={(maxUses) => onChange({ ...value, maxUses })}
        />
      </Group>
    </Stack>
  );
}

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= mostTokensOfBatch;
}

function tokensOf({ count, role, prefix, expiresAt, maxUses }: Alike) {
  const shared = {
    role: role as 'attendee',
    ...(expiresAt === '' ? {} : { expires_at: fromLocalInput(expiresAt) }),
    ...(typeof maxUses === 'number' ? { max_uses: maxUses } : {}),
  };
  return Array.from({ length: isCount(count) ? count : 0 }, (_, index) => ({
    ...shared,
    ...(prefix.trim() === '' ? {} : { name: `${prefix.trim()} ${index + 1}` }),
  }));
}

const shownRows = 50;

/** What was read, faulty rows first, each with what is wrong with it. */
function Preview(props: {
  readonly problem: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly BatchRow[];
}) {
  const { problem, columns, rows } = props;
  if (problem !== null) {
    return (
      <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
        {inLabels(problem)}
      </Alert>
    );
  }
  const faulty = rows.filter(hasFaults);
  const listed = faulty.length > 0 ? faulty : rows;
  const shown = listed.slice(0, shownRows);
  return (
    <section className="panel" aria-label="What was read">
      <Text className="line" role="status" fw={540} {...(faulty.length > 0 ? { c: 'red' } : {})}>
        {faulty.length === 0
          ? `${counted(rows.length, 'row')} read, nothing wrong with ${rows.length === 1 ? 'it' : 'them'}.${pastText(rows)}`
          : `${faulty.length.toLocaleString('en-GB')} of ${counted(rows.length, 'row')} cannot be taken. The lines are counted as in a spreadsheet, with the names of the columns on line 1.`}
      </Text>
      <div
        className="scroll-x"
        style={{ maxHeight: 320, overflowY: 'auto' }}
        tabIndex={0}
        role="group"
        aria-label="Rows"
      >
        <Table className="list" data-still>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={64} pl={18}>
                Line
              </Table.Th>
              {columns.map((column) => (
                <Table.Th key={column}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row) => (
              <Table.Tr key={row.line}>
                <Table.Td c="dimmed" pl={18}>
                  <Text span inherit hiddenFrom="sm">
                    Line{' '}
                  </Text>
                  {row.line}
                </Table.Td>
                {columns.map((column) => (
                  <Table.Td key={column} data-label={column}>
                    <PreviewCell text={row.cells[column] ?? ''} fault={row.faults[column]} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {listed.length > shownRows && (
        <Text className="line" c="dimmed" fz="sm">
          And {(listed.length - shownRows).toLocaleString('en-GB')} more.
        </Text>
      )}
    </section>
  );
}

/** Warns about rows that have already expired; they are accepted. */
function pastText(rows: readonly BatchRow[]): string {
  const past = rows.filter(({ cells }) => Date.parse(cells['expires_at'] ?? '') <= Date.now());
  return past.length === 0 ? '' : ` But ${counted(past.length, 'row')} would have expired already.`;
}

function PreviewCell({ text, fault }: { readonly text: string; readonly fault: string | undefined }) {
  if (fault === undefined) return <>{text}</>;
  return (
    <div style={{ minWidth: 130, whiteSpace: 'normal' }}>
      <Text inherit c="red" fw={560}>
        {text === '' ? 'nothing' : text}
      </Text>
      <Text fz="xs" c="red">
        {inLabels(fault)}
      </Text>
    </div>
  );
}

function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en-GB')} ${thing}${count === 1 ? '' : 's'}`;
}
