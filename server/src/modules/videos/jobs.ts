import type { Jobs } from '../../module.ts';
import { syncVideos } from './sync/sync-videos.ts';

export const videoJobs: Jobs = {
  'sync-videos': {
    description:
      'Reconciles unfinished and hidden videos with their media servers, and deletes the files of deleted videos there.',
    schedule: '* * * * *',
    counted: 'videos changed',
    run: syncVideos,
  },
};
