import { defineModule } from '../../module.ts';
import { meetingView, participantView } from './transformer.ts';
import { registerCallbacks } from './sync/callbacks.ts';
import { deleteMeetingsOfRoom } from './ending/delete-meetings-of-room.ts';
import { meetingGauges } from './gauges.ts';
import { meetingJobs } from './jobs.ts';
import { enforceMinutes } from './minutes/enforce-minutes.ts';
import { relations, tenantScopes } from './relations.ts';
import { meetingRoutes } from './routes.ts';

export { endMeetings } from './ending/end-meetings.ts';
export { callbackAddress, type CallbackKind, callbackRoute, readCallbackAddress } from './sync/callback-address.ts';
export { areMinutesUsedUp, type MinutesLeft, minutesLeftColumn, maxUnchargedColumn } from './minutes/minute-store.ts';
export { clockOffsetMs, endMeeting, endMeetingOfSession, observeMeeting, ourInstant } from './observe-meeting.ts';
export { countOpenMeetings } from './sync/poll-store.ts';
export { ensureHookInBackground } from './sync/provider-hook.ts';
export { resumeMeeting } from './sync/resume-meeting.ts';
export {
  countOccupancy,
  currentMeeting,
  findMeeting,
  insertEntryQuery,
  insertMeeting,
  lockMeeting,
  lockMeetingOfSession,
  lockSlots,
  type MeetingRow,
  occupancyColumns,
  occupiedSlots,
  removeEntry,
  removeMeeting,
  storeMeeting,
} from './store.ts';
export { meetingView, type ParticipantRow } from './transformer.ts';

export const meetings = defineModule({
  name: 'meetings',
  routes: meetingRoutes,
  views: { Meeting: meetingView, Participant: participantView },
  pages: registerCallbacks,
  jobs: meetingJobs,
  background: enforceMinutes,
  relations,
  tenantScopes,
  reactions: { 'room.deleting': (change, { roomId }) => deleteMeetingsOfRoom(change, roomId) },
  gauges: [meetingGauges],
});
