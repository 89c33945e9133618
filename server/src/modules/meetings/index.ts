export { endMeeting, observeMeeting } from './observe-meeting.ts';
export {
  countOccupancy,
  currentMeeting,
  findProvider,
  insertEntry,
  insertMeeting,
  lockMeeting,
  lockPlaces,
  type MeetingRow,
  removeEntry,
  storeMeeting,
  type SubscriptionProviderRow,
  usableProvidersOf,
} from './store.ts';
