import { type Meeting, isModerator, joinedUsers } from '../world/meeting.ts';
import { type World, listExistingMeetings } from '../world/world.ts';

/** Recent meetings have a minimum load, because more users are expected. */
export function loadOf(world: World): number {
  const now = world.clock.now();
  return listExistingMeetings(world)
    .filter(({ parentId }) => parentId === null)
    .reduce((load, meeting) => load + weightOf(meeting, now), 0);
}

function weightOf(meeting: Meeting, now: number): number {
  const joined = joinedUsers(meeting);
  const weight = joined.length + joined.filter(isModerator).length;
  return now - meeting.createTime < joinBufferMs ? Math.max(weight, minWeight) : weight;
}

const joinBufferMs = 15 * 60_000;

const minWeight = 15;
