import type { Jobs } from '../../module.ts';
import { syncStreams } from './sync/sync-streams.ts';

export const streamJobs: Jobs = {
  'sync-streams': {
    description:
      'Applies changes of streams on their media servers, reads the running streams, charges minutes, and ends streams whose minutes are used up.',
    schedule: '* * * * *',
    counted: 'streams checked',
    run: syncStreams,
    wakeOn: { cacheKey: 'streams' },
  },
};
