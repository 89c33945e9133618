export { providersFor, type ProviderStanding } from './candidates.ts';
export { meetingProvider } from './meeting-provider-for.ts';
export { requirePlacement } from './placement-settings.ts';
export { pollMeetings, type PollOutcome, recordPoll } from './record-poll.ts';
export { reservePlace } from './reserve-place.ts';
export { checkServiceProvider } from './check-service-provider.ts';
export { serviceProviderSecrets } from './sealed-properties.ts';
export { lockServiceProvider, requireServiceProvider, type ServiceProviderRow } from './store.ts';
export { serviceProviderView } from './transformer.ts';
