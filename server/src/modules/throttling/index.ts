import { pruneAllowances } from '../../database/lease-allowance.ts';
import { defineModule } from '../../module.ts';

export const throttling = defineModule({
  name: 'throttling',
  jobs: {
    'prune-rate-limits': {
      description: 'Removes request counts of minutes that have passed.',
      schedule: '* * * * *',
      counted: 'windows removed',
      run: pruneAllowances,
    },
    'prune-failed-attempts': {
      description: 'Removes failed sign-in attempts that no longer count.',
      schedule: '*/10 * * * *',
      counted: 'attempts removed',
      run: ({ guesses }) => guesses.prune(),
    },
  },
});
