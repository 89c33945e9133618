import { useQuery } from '@tanstack/react-query';
import { client } from '../../../kit/api/client.ts';
import type { RoomRow } from '../nouns/rows.ts';

/**
 * Whether the room can be watched; true until the features are loaded. If the value of `max_viewers` that applies to a
 * simulcast room (`used`) is 0, it only sends to its outputs.
 */
export function useHasViewers({ id, room_type: type }: RoomRow): boolean {
  const features = useQuery({
    queryKey: ['readRoomFeatures', id],
    enabled: type === 'simulcast',
    queryFn: ({ signal }) => client.readRoomFeatures({ params: { room_id: id }, signal }),
  });
  return features.data?.data.find(({ tag }) => tag === 'max_viewers')?.used !== '0';
}
