import type { Jobs } from '../../module.ts';
import { syncStreams } from './sync-streams.ts';

export const streamJobs: Jobs = {
  'sync-streams': {
    description:
      'Tells media servers what was changed of streams, asks them for those that run, charges minutes, and ends streams whose minutes are used up.',
    schedule: '* * * * *',
    counted: 'streams checked',
    run: syncStreams,
    wakeOn: { cacheKey: 'streams' },
  },
};
