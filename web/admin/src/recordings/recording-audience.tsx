import { roomSettingDefaults } from '@foyer/contract/resources/rooms/room-settings.ts';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toText } from '../../../kit/format/to-text.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

/** Who sees the recordings on the room page, with a link to the setting. */
export function RecordingAudience({ roomId }: { readonly roomId: string }) {
  const may = useMay();
  const room = useQuery({
    queryKey: ['readRoom', roomId],
    enabled: may('readRoom'),
    queryFn: ({ signal }) => client.readRoom({ params: { room_id: roomId }, signal }),
  });
  if (!room.data) return null;
  const { room_settings, is_public } = room.data.data;
  const audience = audienceOf(room_settings);
  return (
    <Panel title="Who may watch">
      <Text>{audienceText(audience)}</Text>
      {audience === 'everyone' && !is_public && (
        <Text mt={4}>This room is not public, so its page also requires a token.</Text>
      )}
      <Text c="dimmed" fz="sm" mt={4}>
        This is a setting of the room.{' '}
        {may('updateRoom') && (
          <Link to="/$noun/$id" params={{ noun: 'rooms', id: roomId }} search={{ tab: 'settings' }} className="link">
            Change it in the room
          </Link>
        )}
      </Text>
    </Panel>
  );
}

export function audienceOf(settings: unknown): string {
  const stored = (settings ?? {}) as Readonly<Record<string, unknown>>;
  return toText(stored['recordings_for']) || roomSettingDefaults.recordings_for;
}

export function audienceText(audience: string): string {
  return sentences[audience] ?? audience;
}

const sentences: Readonly<Record<string, string>> = {
  nobody: 'It isn’t listed on the room page. It can only be watched with links from here.',
  moderators: 'Moderators see it on the room page. Anyone with a link from here can also watch it.',
  participants: 'People with a room token see it on the room page.',
  everyone: 'Anyone with the room’s address sees it on the room page.',
};
