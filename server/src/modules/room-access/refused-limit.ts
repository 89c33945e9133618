import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import { audienceTags } from '@foyer/contract/resources/packages/features.ts';
import type { RefusedLimit } from '../../platform/failures.ts';
import type { OccupancyRow } from './access-store.ts';
import type { LoadedAccess } from './load-access.ts';

/** The limit that refuses a join with this code; undefined if no limit does. */
export function refusedLimit(
  { room, rules, features, usedUpMinutes }: LoadedAccess,
  code: EntryRefusal,
  occupancy?: OccupancyRow,
): RefusedLimit | undefined {
  const tags = audienceTags(room.room_type);
  const limitWithUse = (tag: string, limit: string | number | null | undefined, used: number | undefined) =>
    ({ subscriptionId: room.subscription_id, tag, limit: String(limit ?? 0), used: used ?? 0 }) as const;
  switch (code) {
    case 'room-full':
      return limitWithUse(tags.atOnce, rules.participantLimit, occupancy?.inRoom);
    case 'concurrent-participants-reached':
      return limitWithUse(
        'max_concurrent_participants',
        features.get('max_concurrent_participants'),
        occupancy?.inSubscription,
      );
    case 'concurrent-meetings-reached':
      return limitWithUse('max_concurrent_meetings', features.get('max_concurrent_meetings'), occupancy?.otherMeetings);
    case 'participant-minutes-used-up': {
      if (usedUpMinutes) return usedUpMinutes;
      // Used up by minutes of running meetings that are not charged yet.
      const limit = features.get(tags.minutes);
      return limitWithUse(tags.minutes, limit, Number(limit) || 0);
    }
    case 'limit-is-zero':
      return limitWithUse(rules.zeroLimits[0] ?? tags.atOnce, 0, 0);
    default:
      return undefined;
  }
}
