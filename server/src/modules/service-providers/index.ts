import { defineModule } from '../../module.ts';
import { providerGauges } from './gauges.ts';
import { checkServiceProviders } from './health-checks.ts';
import { serviceProviderJobs } from './jobs.ts';
import { serviceProviderRoutes } from './routes.ts';
import { providerPropertiesColumn } from './sealed-properties.ts';

export { providersFor, type ProviderStanding, providerTypesOf } from './candidates.ts';
export { createServiceProvider } from './create-service-provider.ts';
export { mostProviders } from './figures.ts';
export { meetingProvider } from './meeting-provider-for.ts';
export { requirePlacement } from './placement-settings.ts';
export { asFound, pollMeetings, type PollOutcome, recordPoll } from './record-poll.ts';
export { reservePlace } from './reserve-place.ts';
export { providerPropertiesColumn } from './sealed-properties.ts';
export { lockServiceProvider, requireServiceProvider, type ServiceProviderRow } from './store.ts';
export { serviceProviderView } from './transformer.ts';

export const serviceProviders = defineModule({
  name: 'service-providers',
  routes: serviceProviderRoutes,
  jobs: serviceProviderJobs,
  encryptedColumns: [providerPropertiesColumn],
  healthChecks: [checkServiceProviders],
  gauges: [providerGauges],
});
