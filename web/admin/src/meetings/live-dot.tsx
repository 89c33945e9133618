import { countedOrNo } from '../../../kit/format/counted.ts';
import { Group, Text } from '@mantine/core';
import { client } from '../../../kit/api/client.ts';
import { useQuery } from '@tanstack/react-query';

export function useRoomStatus(roomId: string) {
  return useQuery({
    queryKey: ['readRoomStatus', roomId],
    queryFn: ({ signal }) => client.readRoomStatus({ params: { room_id: roomId }, signal }),
  });
}

/** Shows whether people are in a room right now. */
export function LiveDot({ roomId }: { readonly roomId: string }) {
  const status = useRoomStatus(roomId);
  const state = status.data?.data;
  if (!state) return null;
  if (state.status === 'unknown') return <Quiet>no response</Quiet>;
  if (!state.running) return <Quiet>no participants</Quiet>;
  return (
    <Group gap={8} wrap="nowrap" className="running" style={{ flexShrink: 0 }}>
      <span className="pulse" />
      <Text fz="sm" fw={560} style={{ whiteSpace: 'nowrap' }}>
        {state.participant_count === null ? 'running' : countedOrNo(state.participant_count, 'participant')}
      </Text>
    </Group>
  );
}

function Quiet({ children }: { readonly children: string }) {
  return (
    <Text fz="sm" c="dimmed" style={{ flexShrink: 0, whiteSpace: 'nowrap' }}>
      {children}
    </Text>
  );
}
