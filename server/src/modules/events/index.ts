import { defineModule } from '../../module.ts';
import { eventJobs } from './jobs.ts';
import { publishEvents } from './publish-events.ts';
import { tenantScopes } from './tenant-scopes.ts';
import { eventRoutes } from './routes.ts';

export { publishAll } from './publish-events.ts';
export { eventView, printEvent } from './transformer.ts';
export { typesForUsers } from './tenant-scopes.ts';
export type { EventRow } from './store.ts';

export const events = defineModule({
  name: 'events',
  routes: eventRoutes,
  jobs: eventJobs,
  background: publishEvents,
  tenantScopes,
});
