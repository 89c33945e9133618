import { SimpleGrid, Stack } from '@mantine/core';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import type { RoomRow } from '../nouns/rows.ts';
import { RoomPreview } from '../rooms/room-preview.tsx';
import { IngestPanel } from './ingest-panel.tsx';
import { InputPanel } from './input-panel.tsx';
import { StreamSettings } from './stream-settings.tsx';
import { StreamStatus } from './stream-status.tsx';
import { useHasViewers } from '../rooms/use-has-viewers.ts';
import { useStream } from './use-stream.ts';

/** The broadcast of a live or simulcast room: encoder setup, input, and preview. */
export function RoomStream({ room }: { readonly room: RoomRow }) {
  const result = useStream(room.id);
  const hasViewers = useHasViewers(room);
  const stream = result.data?.data;
  if (stream === undefined)
    return result.error ? (
      <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
    ) : (
      <LoadingNotice />
    );
  const isLive = stream.state !== 'idle';
  return (
    <Stack gap="lg">
      <StreamStatus room={room} stream={stream} hasViewers={hasViewers} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          {hasViewers && (
            <RoomPreview
              roomId={room.id}
              obstacle={isLive ? null : 'The picture appears here when the room is live.'}
            />
          )}
          {stream.input !== null && <InputPanel input={stream.input} />}
        </Stack>
        <Stack gap="lg">
          <IngestPanel stream={stream} />
          <StreamSettings roomId={room.id} />
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}
