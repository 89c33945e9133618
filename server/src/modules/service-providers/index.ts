import { defineModule } from '../../module.ts';
import { serviceProviderView } from './transformer.ts';
import { providerGauges } from './health/gauges.ts';
import { checkServiceProviders } from './health/health-checks.ts';
import { serviceProviderJobs } from './jobs.ts';
import { serviceProviderRoutes } from './routes.ts';
import { providerPropertiesColumn } from './sealed-properties.ts';

export { providersFor, type ProviderCandidate, providerTypesOf } from './placement/candidates.ts';
export { describeProvider } from './describe-provider.ts';
export { createServiceProvider } from './create-service-provider.ts';
export { maxProviders } from './health/figures.ts';
export { imageAddresses } from './placement/image-addresses.ts';
export { listMediaOrigins } from './placement/media-origins.ts';
export { mediaProvider, meetingProvider, findMeetingProvider } from './placement/meeting-provider.ts';
export { requirePlacement } from './placement/placement-settings.ts';
export { withProblem, pollMeetings, type PollOutcome, recordPoll } from './health/record-poll.ts';
export { reserveCapacity } from './placement/reserve-capacity.ts';
export { providerPropertiesColumn } from './sealed-properties.ts';
export {
  type ChosenProvider,
  findServiceProvider,
  lockServiceProvider,
  requireServiceProvider,
  type ServiceProviderRow,
} from './store.ts';
export { serviceProviderView } from './transformer.ts';

export const serviceProviders = defineModule({
  name: 'service-providers',
  routes: serviceProviderRoutes,
  views: { ServiceProvider: serviceProviderView },
  jobs: serviceProviderJobs,
  encryptedColumns: [providerPropertiesColumn],
  healthChecks: [checkServiceProviders],
  gauges: [providerGauges],
});
