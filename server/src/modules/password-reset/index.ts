import { defineModule } from '../../module.ts';
import { passwordResetJobs } from './jobs.ts';
import { endLinks } from './make-reset.ts';
import { registerPasswordResetPages } from './pages.ts';
import { passwordResetRoutes } from './routes.ts';

export { askForReset } from './ask-for-reset.ts';

export const passwordReset = defineModule({
  name: 'password-reset',
  routes: passwordResetRoutes,
  pages: registerPasswordResetPages,
  jobs: passwordResetJobs,
  // A password that was changed in another way makes open links useless.
  reactions: {
    'admin.sessions-ending': (change, { adminId }) => endLinks(change, { population: 'admins', id: adminId }),
    'user.sessions-ending': (change, { userId }) => endLinks(change, { population: 'users', id: userId }),
  },
});
