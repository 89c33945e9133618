import { whenRoomIsDeleted } from '../rooms/index.ts';
import { endMeeting } from './observe-meeting.ts';
import { currentMeeting, lockMeeting } from './store.ts';

export { callbackAddress, type CallbackKind, callbackRoute, readCallbackAddress } from './callback-address.ts';
export { areMinutesUsedUp, type MinutesLeft, minutesLeftOf, mostUnchargedIn } from './minute-store.ts';
export { clockOffsetMs, endMeeting, observeMeeting, ourInstant } from './observe-meeting.ts';
export { keepHookSoon } from './provider-hook.ts';
export { countOpenMeetings } from './poll-store.ts';
export { resumeMeeting } from './resume-meeting.ts';
export {
  countOccupancy,
  currentMeeting,
  findMeeting,
  findProvider,
  insertingEntry,
  insertMeeting,
  lockMeeting,
  lockPlaces,
  type MeetingRow,
  occupancyIn,
  occupiedPlaces,
  removeEntry,
  removeMeeting,
  storeMeeting,
  type SubscriptionProviderRow,
} from './store.ts';
export { meetingView } from './transformer.ts';

// It is recorded that the meeting ends with its room; the job asks the provider to end it, too.
whenRoomIsDeleted.add(async (under, roomId) => {
  const found = await currentMeeting(under.tx, roomId);
  const meeting = found && (await lockMeeting(under.tx, found.id));
  if (meeting && meeting.state !== 'ended') await endMeeting(under, meeting, 'room-deleted');
});
