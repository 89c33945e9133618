import { Button, Stack, Text } from '@mantine/core';
import { IconPhoneOff } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

interface Props {
  readonly meetingId: string;
  readonly name: string;
  readonly participantCount: number;
  readonly isSmall?: boolean;
}

/** Ends a meeting for all participants after confirmation. */
export function EndMeeting({ meetingId, name, participantCount, isSmall = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  if (!may('endMeeting')) return null;

  async function end(): Promise<void> {
    await client.endMeeting({ params: { meeting_id: meetingId } });
    await refreshEverything();
    showDone('The meeting has been ended.');
  }

  return (
    <>
      <Button
        color="red"
        variant="light"
        size={isSmall ? 'xs' : 'sm'}
        leftSection={<IconPhoneOff size={isSmall ? 14 : 16} />}
        onClick={() => setOpen(true)}
      >
        End meeting
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`End the meeting in “${name}”?`}
        confirmLabel="End for everyone"
        keepLabel="Keep it running"
        onConfirm={end}
      >
        <Stack gap={6}>
          <Text c="dimmed">{participantCountText(participantCount)} Participants can rejoin: the room stays open.</Text>
          <Text c="dimmed">A running recording is kept. Chat messages are lost.</Text>
        </Stack>
      </ConfirmDialog>
    </>
  );
}

function participantCountText(count: number): string {
  if (count === 0) return 'The meeting seems to be empty. Any participants are removed immediately.';
  return count === 1 ? 'One participant is removed immediately.' : `${count} participants are removed immediately.`;
}
