import { counted } from '../../../../kit/format/counted.ts';
import { Anchor, Button, FileButton, Group, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { IconUpload } from '@tabler/icons-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { SideDrawer, useDrawerClose } from '../../../../kit/dialog/side-drawer.tsx';
import { RefusalAlert } from '../../../../kit/display/notices/notices.tsx';
import { client, refreshEverything } from '../../../../kit/api/client.ts';
import { areShownAtRows, batchColumns, hasFaults, readBatch, withFaults } from './batch-rows.ts';
import { Preview } from './batch-preview.tsx';
import { type SimilarTokens, maxTokensText, SimilarTokenFields, isCount, tokensOf } from './similar-tokens.tsx';

interface Props {
  readonly roomId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a batch of tokens: similar ones, or one per row of a list. */
export function NewBatch({ roomId, isOpen, onClose }: Props) {
  return (
    <SideDrawer title="Create a batch of tokens" isOpen={isOpen} onClose={onClose} size={720}>
      <BatchForm roomId={roomId} onDone={onClose} />
    </SideDrawer>
  );
}

function BatchForm({ roomId, onDone }: { readonly roomId: string; readonly onDone: () => void }) {
  const [method, setMethod] = useState<'similar' | 'list'>('list');
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [similar, setSimilar] = useState<SimilarTokens>({
    count: 20,
    role: 'attendee',
    prefix: '',
    expiresAt: '',
    maxUses: '',
  });
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isDirty = text !== '' || name !== '' || similar.prefix !== '';
  const close = useDrawerClose(isDirty && !isBusy);
  const deferredText = useDeferredValue(text);
  const parsed = useMemo(() => (deferredText.trim() === '' ? null : readBatch(deferredText)), [deferredText]);
  const errors = useMemo(() => (failure instanceof FoyerError ? failure.errors : {}), [failure]);
  const rows = useMemo(() => (parsed === null ? [] : withFaults(parsed.rows, errors)), [parsed, errors]);
  const isReady = method === 'similar' ? isCount(similar.count) : parsed?.problem === null && !rows.some(hasFaults);

  async function submit(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      const nameMember = name.trim() === '' ? {} : { name: name.trim() };
      const body = method === 'list' ? { ...nameMember, csv: text } : { ...nameMember, tokens: tokensOf(similar) };
      await client.createRoomTokenBatch({ params: { room_id: roomId }, body });
      await refreshEverything();
      onDone();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  function changeText(next: string): void {
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
        {failure !== null && !(method === 'list' && areShownAtRows(errors, rows)) && <RefusalAlert error={failure} />}
        <SegmentedControl
          aria-label="How to create the tokens"
          value={method}
          onChange={(next) => setMethod(next === 'similar' ? 'similar' : 'list')}
          data={[
            { value: 'list', label: 'From a list' },
            { value: 'similar', label: 'Similar tokens' },
          ]}
        />
        <TextInput
          label="Name of the batch"
          description="Helps you find the batch later."
          maxLength={150}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {method === 'similar' ? (
          <SimilarTokenFields value={similar} onChange={setSimilar} />
        ) : (
          <ListField text={text} onChange={changeText} />
        )}
        {method === 'list' && parsed !== null && (
          <Preview problem={parsed.problem} columns={parsed.columns} rows={rows} />
        )}
      </Stack>
      <Group className="form-foot" justify="flex-end" gap="sm">
        <Button variant="default" onClick={close ?? onDone}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy} disabled={!isReady}>
          {method === 'list' && rows.length > 0 ? `Create ${counted(rows.length, 'token')}` : 'Create tokens'}
        </Button>
      </Group>
    </form>
  );
}

function ListField({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  return (
    <Stack gap="xs">
      <Textarea
        label="List (CSV)"
        description={`The first line contains the columns: ${batchColumns.join(', ')}. Only role is required. With the email or id of a user, only that user can use the link. A day without a time means 00:00 UTC. Up to ${maxTokensText} rows.`}
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
