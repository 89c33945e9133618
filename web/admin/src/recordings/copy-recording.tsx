import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { IconMovie } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { WhyNot } from '../../../kit/display/why-not.tsx';
import { ReferencePicker } from '../../../kit/form/fields/reference-picker.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import { text } from '../../../kit/noun/noun.ts';
import type { RecordingRow } from '../nouns/rows.ts';

/** Copies the recording of a broadcast to a video room: menu item and dialog. */
export function useRecordingCopy(row: RecordingRow): { readonly item: ReactNode; readonly dialog: ReactNode } {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const roomId = text(row, 'room_id');
  const isAllowed = may('copyRecordingToRoom') && may('readRoom');
  const room = useQuery({
    queryKey: ['readRoom', roomId],
    enabled: isAllowed,
    queryFn: ({ signal }) => client.readRoom({ params: { room_id: roomId }, signal }),
  });
  const type = room.data?.data.room_type;
  // Meeting servers don’t provide recording files. The room can be cached by screens that need fewer rights.
  if (!isAllowed || type === undefined || type === 'meet') return { item: null, dialog: null };
  const isReady = ['published', 'unpublished'].includes(text(row, 'state'));
  return {
    item: (
      <Menu.Item leftSection={<IconMovie size={16} />} disabled={!isReady} onClick={() => setOpen(true)}>
        Copy to a video room…
        {!isReady && <WhyNot>The recording is still being processed.</WhyNot>}
      </Menu.Item>
    ),
    dialog: (
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Copy “${text(row, 'name')}” to a video room`}>
        {isOpen && <CopyForm row={row} onDone={() => setOpen(false)} />}
      </Modal>
    ),
  };
}

function CopyForm({ row, onDone }: { readonly row: RecordingRow; readonly onDone: () => void }) {
  const [roomId, setRoomId] = useState<string | null>(null);
  const submission = useSubmission();
  const navigate = useNavigate();

  async function copy(): Promise<void> {
    if (roomId === null) return;
    const { data } = await client.copyRecordingToRoom({ params: { recording_id: row.id }, body: { room_id: roomId } });
    await refreshEverything();
    showDone('The recording is being copied.');
    onDone();
    await navigate({ to: '/$noun/$id', params: { noun: 'videos', id: data.id } });
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(copy, event.currentTarget);
      }}
    >
      <Stack>
        <Text c="dimmed">
          The room gets a video with the name of the recording. It counts against the limits of the room’s subscription.
          The recording itself is kept.
        </Text>
        <RefusalAlert error={submission.failureOutsideFields('room_id')} />
        <ReferencePicker
          name="room_id"
          label="Video room"
          description="Rooms for videos of the same customer."
          error={submission.faultOf('room_id')}
          required
          prefix="room"
          within={{ customer_id: text(row, 'customer_id'), room_type: 'video' }}
          value={roomId}
          onChange={setRoomId}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={submission.isBusy} disabled={roomId === null}>
            Copy recording
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
