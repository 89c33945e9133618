export { meetingProvider } from './meeting-provider-for.ts';
export { lockServiceProvider, requireServiceProvider, type ServiceProviderRow } from './store.ts';
export { serviceProviderView } from './transformer.ts';
