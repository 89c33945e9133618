import { Stack } from '@mantine/core';
import { RelatedList } from '../resource/related-list.tsx';
import { nouns } from '../nouns/nouns.ts';
import { WhoMayWatch } from '../recordings/who-may-watch.tsx';

export function RoomRecordings({ roomId }: { readonly roomId: string }) {
  return (
    <Stack gap="lg">
      <RelatedList noun={nouns.recordings} within={{ room_id: roomId }} presets={null} />
      <WhoMayWatch roomId={roomId} />
    </Stack>
  );
}
