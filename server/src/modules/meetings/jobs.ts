import type { Jobs } from '../../module.ts';
import { endMeetings } from './ending/end-meetings.ts';
import { forgetParticipants } from './participants/forget-participants.ts';
import { syncMeetings } from './sync/sync-meetings.ts';

export const meetingJobs: Jobs = {
  'sync-meetings': {
    description: 'Reads the participants of running meetings from their providers, and charges minutes.',
    schedule: '* * * * *',
    counted: 'meetings checked',
    run: syncMeetings,
  },
  'end-meetings': {
    description:
      'Ends meetings whose subscription, account or customer can no longer be used, whose minutes are used up, or whose room was deleted.',
    schedule: '* * * * *',
    counted: 'meetings ended',
    run: endMeetings,
  },
  'forget-participants': {
    description: 'Removes the names of participants after the number of days in the settings.',
    schedule: '*/10 * * * *',
    counted: 'names removed',
    run: forgetParticipants,
    wakeOn: { cacheKey: 'settings', delayMs: 2000 },
  },
};
