import { counted } from '../../../../kit/format/counted.ts';
import { ActionIcon, Badge, Button, Group, Menu, Progress, Stack, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconDots, IconDownload, IconList, IconStack2, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveCsv } from '../../../../kit/display/save-csv.ts';
import { ConfirmDialog } from '../../../../kit/dialog/confirm-dialog.tsx';
import { FailureNotice } from '../../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../../kit/display/times.tsx';
import { showDone, showFailure } from '../../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../../kit/api/client.ts';
import { NewBatch } from './new-batch.tsx';

type Batch = EndpointAnswer<'listRoomTokenBatches'>['data'][number];

interface Props {
  readonly roomId: string;
  /** Filters the list of tokens by the batch. */
  readonly onShow: (batch: { readonly id: string; readonly name: string }) => void;
}

/** Token batches with their progress and a CSV of their links. */
export function TokenBatches({ roomId, onShow }: Props) {
  const [isCreating, setCreating] = useState(false);
  const [batchToDelete, setBatchToDelete] = useState<Batch | null>(null);
  const result = useQuery({
    queryKey: ['listRoomTokenBatches', roomId],
    queryFn: ({ signal }) =>
      client.listRoomTokenBatches({
        params: { room_id: roomId },
        query: { limit: 50, orderBy: 'created_at', sortedBy: 'desc' },
        signal,
      }),
    // Only the end of a batch has an event, so its progress is polled.
    refetchInterval: ({ state }) => (state.data?.data.some(isInProgress) ? 1500 : false),
  });
  const batches = result.data?.data ?? [];

  async function remove(): Promise<void> {
    if (batchToDelete === null) return;
    await client.deleteRoomTokenBatch({ params: { room_id: roomId, batch_id: batchToDelete.id } });
    await refreshEverything();
    showDone('The batch has been deleted with its tokens.');
  }

  return (
    <Panel
      flush
      title="Batches"
      aside={
        <Button size="xs" variant="light" leftSection={<IconStack2 size={14} />} onClick={() => setCreating(true)}>
          Create a batch of tokens
        </Button>
      }
    >
      {result.error ? (
        <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
      ) : batches.length === 0 ? (
        <Text className="line" c="dimmed">
          For a class or a conference: up to 10,000 links from a list, each with its own name, role and times. Download
          the links and send them.
        </Text>
      ) : (
        batches.map((batch) => (
          <BatchLine
            key={batch.id}
            roomId={roomId}
            batch={batch}
            onShow={onShow}
            onRemove={() => setBatchToDelete(batch)}
          />
        ))
      )}
      <NewBatch roomId={roomId} isOpen={isCreating} onClose={() => setCreating(false)} />
      <ConfirmDialog
        isOpen={batchToDelete !== null}
        onClose={() => setBatchToDelete(null)}
        title={batchToDelete === null ? '' : `Delete “${nameOf(batchToDelete)}”?`}
        confirmLabel="Delete batch and tokens"
        onConfirm={remove}
      >
        {batchToDelete === null
          ? null
          : `${isInProgress(batchToDelete) ? 'No more tokens are created, and the' : 'The'} ${batchToDelete.made.toLocaleString('en-GB')} links of the batch stop working. Participants stay in running meetings.`}
      </ConfirmDialog>
    </Panel>
  );
}

interface LineProps {
  readonly roomId: string;
  readonly batch: Batch;
  readonly onShow: Props['onShow'];
  readonly onRemove: () => void;
}

function BatchLine({ roomId, batch, onShow, onRemove }: LineProps) {
  const [isBusy, setBusy] = useState(false);
  const name = nameOf(batch);

  async function download(): Promise<void> {
    setBusy(true);
    try {
      const params = { room_id: roomId, batch_id: batch.id };
      const file = await client.csv('listRoomTokenBatchTokens', { params });
      await saveCsv(batch.name === null ? file : { ...file, fileName: null }, `${name}.csv`);
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className="line">
      <Group justify="space-between" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={560} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {batch.failed > 0 && (
              <Badge variant="light" color="red" tt="none" fw={560}>
                {batch.failed.toLocaleString('en-GB')} failed
              </Badge>
            )}
          </Group>
          <Text fz="sm" c="dimmed" component="div">
            {isInProgress(batch)
              ? `${batch.made.toLocaleString('en-GB')} of ${batch.total.toLocaleString('en-GB')} created`
              : counted(batch.made, 'token')}{' '}
            · <RelativeTime instant={batch.created_at} />
          </Text>
        </div>
        <Group gap={6} wrap="nowrap">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            loading={isBusy}
            disabled={isInProgress(batch) || batch.made === 0}
            aria-label={`Download the links of “${name}” as CSV`}
            onClick={() => void download()}
          >
            CSV
          </Button>
          <Menu position="bottom-end" shadow="md">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconList size={15} />} onClick={() => onShow({ id: batch.id, name })}>
                Show tokens
              </Menu.Item>
              <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={onRemove}>
                Delete…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      {isInProgress(batch) && (
        <Progress
          mt={8}
          size="sm"
          animated
          value={batch.progress}
          aria-label={`${name}: ${batch.progress} % created`}
        />
      )}
      {batch.failures.length > 0 && (
        <Stack gap={0} mt={4} component="ul" m={0} pl="lg">
          {batch.failures.slice(0, 5).map((failure) => (
            <Text key={failure.row} component="li" fz="sm" c="red">
              {rowLabel(failure.row)}: {failure.message}
            </Text>
          ))}
          {batch.failures.length > 5 && (
            <Text component="li" fz="sm" c="dimmed">
              and {batch.failures.length - 5} more
            </Text>
          )}
        </Stack>
      )}
    </div>
  );
}

/** @param row from 0; lines of a list are numbered from 1 and include the header */
function rowLabel(row: number): string {
  return `Token ${(row + 1).toLocaleString('en-GB')}, on line ${(row + 2).toLocaleString('en-GB')} of a list`;
}

function isInProgress({ status }: Pick<Batch, 'status'>): boolean {
  return status !== 'done';
}

function nameOf(batch: Batch): string {
  return batch.name ?? 'Unnamed batch';
}
