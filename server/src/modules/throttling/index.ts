import { pruneRateLimits } from '../../database/rate-limit-store.ts';
import { defineModule } from '../../module.ts';

export const throttling = defineModule({
  name: 'throttling',
  jobs: {
    'prune-rate-limits': {
      description: 'Removes request counts of minutes that have passed.',
      schedule: '* * * * *',
      counted: 'windows removed',
      run: pruneRateLimits,
    },
    'prune-failed-attempts': {
      description: 'Removes failed sign-in attempts that no longer count.',
      schedule: '*/10 * * * *',
      counted: 'attempts removed',
      run: ({ failedAttempts }) => failedAttempts.prune(),
    },
  },
});
