import { useQuery } from '@tanstack/react-query';
import { client } from '../../../kit/api/client.ts';
import { streamPollMs } from './stream-words.ts';

export function useStream(roomId: string) {
  return useQuery({
    queryKey: ['readStream', roomId],
    queryFn: ({ signal }) => client.readStream({ params: { room_id: roomId }, signal }),
    refetchInterval: ({ state }) => streamPollMs(state.data?.data),
  });
}
