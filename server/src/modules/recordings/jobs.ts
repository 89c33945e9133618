import type { Jobs } from '../../module.ts';
import { expireRecordings } from './expire-recordings.ts';
import { syncRecordings } from './sync/sync-recordings.ts';

export const recordingJobs: Jobs = {
  'sync-recordings': {
    description: 'Reconciles recordings with their providers, and has the providers apply changes.',
    schedule: '* * * * *',
    counted: 'recordings changed',
    run: syncRecordings,
  },
  'expire-recordings': {
    description: 'Deletes recordings that are older than the retention of their rooms.',
    schedule: '27 * * * *',
    counted: 'recordings deleted',
    run: expireRecordings,
  },
};
