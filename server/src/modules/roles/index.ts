import { defineModule } from '../../module.ts';
import { roleView } from './transformer.ts';
import { relations } from './relations.ts';
import { roleRoutes } from './routes.ts';

export { isFullAdmin, requireAllHeld } from './escalation.ts';
export { permissionsOfRoles } from './role-store.ts';
export { fullAdminRole, storeDefaultRole, storePermissions } from './store.ts';
export { permissionView, roleView } from './transformer.ts';

export const roles = defineModule({
  name: 'roles',
  routes: roleRoutes,
  views: { Role: roleView },
  relations,
});
