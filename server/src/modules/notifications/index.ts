import { defineModule } from '../../module.ts';
import { notificationJobs } from './jobs.ts';
import { notifyOfEvents, notifyOfUsedUpLimit } from './notify-of-events.ts';
import { notificationRoutes } from './routes.ts';
import { registerUnsubscribePages } from './unsubscribe/pages.ts';

export const notifications = defineModule({
  name: 'notifications',
  routes: notificationRoutes,
  pages: registerUnsubscribePages,
  jobs: notificationJobs,
  reactions: { 'events.published': notifyOfEvents, 'limit.used-up': notifyOfUsedUpLimit },
});
