export { endMeetings } from './end-meetings.ts';
export { forgetParticipants } from './forget-participants.ts';
export { syncMeetings } from './sync-meetings.ts';
export { keepMinutes } from './keep-minutes.ts';
