import { Button, Group, Text } from '@mantine/core';
import { IconCircleFilled, IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { RoomRow, StreamRow } from '../nouns/rows.ts';
import { findStreamObstacle, type StreamObstacle } from './stream-obstacle.ts';
import { kbpsText, stateSentence, stateTitles } from './stream-words.ts';

interface Props {
  readonly room: RoomRow;
  readonly stream: StreamRow;
  /** False for a simulcast room that only sends to its outputs. */
  readonly hasViewers: boolean;
}

/** Whether the room is live, for how many viewers, and the button that ends the broadcast. */
export function StreamStatus({ room, stream, hasViewers }: Props) {
  const hasSessions = useHasSessions(room.id);
  const obstacle = useStreamObstacle(room.id, hasViewers);
  const stateTitle =
    stream.state === 'idle' && stream.source !== null ? 'Waiting for the source' : stateTitles[stream.state];
  const isLive = stream.state === 'live';
  const isBlocked = obstacle !== null && stream.state === 'idle';
  const { input } = stream;
  return (
    <section className="panel" aria-label="State of the stream">
      <Group className="panel-body" justify="space-between" gap="lg">
        <div aria-live="polite" style={{ flex: '1 1 280px' }}>
          <Group gap={10}>
            {isLive ? (
              <span className="pulse" style={{ color: 'var(--mantine-color-red-6)' }} />
            ) : (
              <IconCircleFilled
                size={9}
                aria-hidden
                color={`var(--mantine-color-${stream.state === 'reconnecting' ? 'orange-6' : 'gray-4'})`}
              />
            )}
            <Text fw={600}>{isBlocked ? obstacle.title : stateTitle}</Text>
          </Group>
          {stream.source_error !== null && <Text c="red">{stream.source_error}</Text>}
          <Text c="dimmed" fz="sm" component="div">
            {isBlocked ? obstacle.text : stateSentence(stream, hasSessions)}
            {stream.started_at !== null && stream.state !== 'idle' && (
              <>
                {' '}
                Started <RelativeTime instant={stream.started_at} />.
              </>
            )}
          </Text>
        </div>
        {stream.state !== 'idle' && (
          <Group gap="xl">
            {hasViewers && <Figure label="Viewers now" value={stream.viewers.toLocaleString('en-GB')} />}
            {input?.video_kbps != null && (
              <Figure label="Bitrate" value={kbpsText(input.video_kbps + (input.audio_kbps ?? 0))} />
            )}
            <EndStream room={room} viewers={stream.viewers} />
          </Group>
        )}
      </Group>
    </section>
  );
}

function EndStream({ room, viewers }: { readonly room: RoomRow; readonly viewers: number }) {
  const [isOpen, setOpen] = useState(false);
  if (!useMay()('endStream')) return null;

  async function end(): Promise<void> {
    await client.endStream({ params: { room_id: room.id } });
    await refreshEverything();
    showDone('The broadcast has been ended.');
  }

  return (
    <>
      <Button color="red" variant="light" leftSection={<IconPlayerStop size={16} />} onClick={() => setOpen(true)}>
        End broadcast
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`End the broadcast in “${room.room_name}”?`}
        confirmLabel="End broadcast"
        keepLabel="Keep it running"
        onConfirm={end}
      >
        {`${viewersSentence(viewers)}If the encoder keeps sending, a new broadcast begins, so stop the encoder as well.`}
      </ConfirmDialog>
    </>
  );
}

function viewersSentence(viewers: number): string {
  if (viewers === 0) return '';
  return `${viewers === 1 ? 'One viewer stops' : `${viewers} viewers stop`} watching within seconds. `;
}

function Figure({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <Text fz="xl" fw={620} lh={1.2}>
        {value}
      </Text>
      <Text fz="xs" c="dimmed">
        {label}
      </Text>
    </div>
  );
}

function useStreamObstacle(roomId: string, hasViewers: boolean): StreamObstacle | null {
  const may = useMay();
  const features = useQuery({
    queryKey: ['readRoomFeatures', roomId],
    enabled: may('readRoomFeatures'),
    queryFn: ({ signal }) => client.readRoomFeatures({ params: { room_id: roomId }, signal }),
  });
  return findStreamObstacle(features.data?.data ?? [], hasViewers);
}

function useHasSessions(roomId: string): boolean {
  const may = useMay();
  const sessions = useQuery({
    queryKey: ['listRoomMeetings', roomId, 'latest'],
    enabled: may('listRoomMeetings'),
    queryFn: ({ signal }) =>
      client.listRoomMeetings({ params: { room_id: roomId }, query: { limit: 1, count: false }, signal }),
  });
  return (sessions.data?.data.length ?? 0) > 0;
}
