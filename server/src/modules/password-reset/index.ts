import { defineModule } from '../../module.ts';
import { passwordResetJobs } from './jobs.ts';
import { invalidateLinks } from './create-reset.ts';
import { registerPasswordResetPages } from './pages.ts';
import { passwordResetRoutes } from './routes.ts';

export { requestReset } from './request-reset.ts';

export const passwordReset = defineModule({
  name: 'password-reset',
  routes: passwordResetRoutes,
  pages: registerPasswordResetPages,
  jobs: passwordResetJobs,
  // Any change of the password invalidates open links.
  reactions: {
    'admin.sessions-ending': (change, { adminId }) => invalidateLinks(change, { population: 'admins', id: adminId }),
    'user.sessions-ending': (change, { userId }) => invalidateLinks(change, { population: 'users', id: userId }),
  },
});
