import type { Jobs } from '../../module.ts';
import { checkProviders } from './health/check-providers.ts';

export const serviceProviderJobs: Jobs = {
  'check-providers': {
    description: 'Checks the health of every active provider that was not checked recently.',
    schedule: '* * * * *',
    counted: 'providers checked',
    run: checkProviders,
    wakeOn: { cacheKey: 'provider-checks' },
  },
};
