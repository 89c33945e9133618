import { defineModule } from '../../module.ts';
import { reportJobs } from './jobs.ts';
import { keepUsageOfAccount, keepUsageOfRoom } from './usage/past-usage-store.ts';
import { reportRoutes } from './routes.ts';

export const reports = defineModule({
  name: 'reports',
  routes: reportRoutes,
  jobs: reportJobs,
  reactions: {
    'room.deleting': (change, { roomId }) => keepUsageOfRoom(change, roomId),
    'account.deleting': (change, { accountId }) => keepUsageOfAccount(change, accountId),
  },
});
