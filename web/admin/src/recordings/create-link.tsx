import { Button, Group, Modal, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { durationText } from '../../../kit/format/durations.ts';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { Playback } from './recording-cells.tsx';

interface Props {
  readonly recordingId: string;
  readonly playbacks: readonly Playback[];
}

/** Creates a playback link with an expiry. */
export function CreateLink(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="light" leftSection={<IconLink size={14} />} onClick={() => setOpen(true)}>
        Create link
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Create a playback link">
        {isOpen && <LinkForm {...props} onDone={() => setOpen(false)} />}
      </Modal>
    </>
  );
}

function LinkForm({ recordingId, playbacks, onDone }: Props & { readonly onDone: () => void }) {
  const lifetimes = useLifetimes();
  const [type, setType] = useState(playbacks[0]?.type ?? '');
  const [minutes, setMinutes] = useState<number | null>(null);
  const [created, setCreated] = useState<{ readonly url: string; readonly expires_at: string } | null>(null);
  const submission = useSubmission();
  const chosenMinutes = minutes ?? lifetimes[0] ?? null;

  async function create(): Promise<void> {
    const { data } = await client.createRecordingLink({
      params: { recording_id: recordingId },
      body: { type, ...(chosenMinutes === null ? {} : { minutes: chosenMinutes }) },
    });
    setCreated(data);
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(create, event.currentTarget);
      }}
    >
      <Stack>
        <RefusalAlert error={submission.failure} />
        {playbacks.length > 1 && (
          <Select
            label="Format"
            allowDeselect={false}
            value={type}
            data={playbacks.map((playback) => ({ value: playback.type, label: wordOf(playback.type) }))}
            onChange={(next) => {
              setType(next ?? type);
              setCreated(null);
            }}
          />
        )}
        {lifetimes.length > 1 && (
          <div>
            <Text fz="sm" fw={500} mb={4} id="link-lifetime">
              Expires after
            </Text>
            <SegmentedControl
              fullWidth
              aria-labelledby="link-lifetime"
              value={String(chosenMinutes)}
              data={lifetimes.map((lifetime) => ({ value: String(lifetime), label: durationText(lifetime, 'minute') }))}
              onChange={(next) => {
                setMinutes(Number(next));
                setCreated(null);
              }}
            />
          </div>
        )}
        <Text c="dimmed" fz="sm">
          Anyone with the link can watch until it expires, without signing in. The settings limit how long links are
          valid. Links only work while the recording is published.
        </Text>
        {created !== null && (
          <TextInput
            label="Link"
            readOnly
            autoFocus
            description={`Valid until ${formatShortInstant(created.expires_at)}.`}
            value={created.url}
            onFocus={(event) => event.currentTarget.select()}
            rightSection={<CopyAction value={created.url} label="the link" />}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Close
          </Button>
          {created === null && (
            <Button type="submit" loading={submission.isBusy}>
              Create link
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** Lifetimes in minutes up to the maximum in the settings; empty if the caller may not read the settings. */
function useLifetimes(): readonly number[] {
  const may = useMay();
  const settings = useQuery({
    queryKey: ['readSettings'],
    enabled: may('readSettings'),
    queryFn: ({ signal }) => client.readSettings({ signal }),
  });
  const maxMinutes = settings.data?.data.playback_link_minutes;
  if (maxMinutes === undefined) return [];
  return [...usualMinutes.filter((minutes) => minutes < maxMinutes).slice(-3), maxMinutes];
}

const usualMinutes = [15, 60, 240, 1440, 4320];
