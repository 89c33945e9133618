import { ActionIcon, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconEye, IconEyeOff, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { showDone, showFailure } from '../../../kit/display/notices/toasts.ts';
import { useMay } from '../../../kit/noun/app.tsx';

/** The stream key, masked until it is revealed. Each reveal is recorded as an event. */
export function StreamKey({ roomId }: { readonly roomId: string }) {
  const may = useMay();
  const [key, setKey] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const params = { room_id: roomId };

  async function reveal(): Promise<void> {
    setBusy(true);
    try {
      setKey((await client.revealStreamKey({ params })).data.ingest.stream_key);
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  }

  async function rotate(): Promise<void> {
    const { data } = await client.rotateStreamKey({ params });
    setKey(data.ingest.stream_key);
    await refreshEverything();
    showDone('The stream has a new key.');
  }

  return (
    <Stack gap={6} align="flex-start">
      <Group gap={2} wrap="nowrap" maw="100%">
        <Text component="span" ff="monospace" fz="0.92em" style={{ overflowWrap: 'anywhere' }} aria-label="Stream key">
          {key ?? '••••••••••••'}
        </Text>
        {key !== null && <CopyAction value={key} label="the stream key" />}
        {may('revealStreamKey') && (
          <Tooltip label={key === null ? 'Show the key' : 'Hide the key'}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={24}
              loading={isBusy}
              aria-label={key === null ? 'Show the stream key' : 'Hide the stream key'}
              onClick={() => (key === null ? void reveal() : setKey(null))}
            >
              {key === null ? <IconEye size={15} /> : <IconEyeOff size={15} />}
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      {may('rotateStreamKey') && (
        <Button
          size="compact-xs"
          variant="light"
          leftSection={<IconRefresh size={13} />}
          onClick={() => setConfirming(true)}
        >
          New key
        </Button>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title="Replace the stream key?"
        confirmLabel="Replace key"
        onConfirm={rotate}
      >
        The old key stops working immediately, and a running broadcast that uses it ends. Encoders need the new key.
      </ConfirmDialog>
    </Stack>
  );
}
