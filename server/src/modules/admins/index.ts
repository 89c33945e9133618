import { defineModule } from '../../module.ts';
import { adminView } from './transformer.ts';
import { checkFullAdmins } from './health-checks.ts';
import { relations } from './relations.ts';
import { adminRoutes } from './routes.ts';

export { createFullAdmin } from './create-full-admin.ts';
export { countFullAdmins } from './full-admins.ts';
export { storeAdminPassword, verifyAdminEmail } from './store-password.ts';
export {
  findAdmin,
  findAdminByName,
  findAndLockAdmin,
  lockAdmin,
  replaceAdminPasswordHash,
  requireAdmin,
  storeAdmin,
} from './store.ts';
export { refuseAdminWithMorePermissions } from './admin-with-more-permissions.ts';

export const admins = defineModule({
  name: 'admins',
  routes: adminRoutes,
  views: { Admin: adminView },
  relations,
  healthChecks: [checkFullAdmins],
});
