import { Stack } from '@mantine/core';
import { RelatedList } from '../resource/related-list.tsx';
import { nouns } from '../nouns/nouns.ts';
import { RecordingAudience } from '../recordings/recording-audience.tsx';

export function RoomRecordings({ roomId }: { readonly roomId: string }) {
  return (
    <Stack gap="lg">
      <RelatedList noun={nouns.recordings} within={{ room_id: roomId }} presets={null} />
      <RecordingAudience roomId={roomId} />
    </Stack>
  );
}
