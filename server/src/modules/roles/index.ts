export { isFullAdmin, requireAllHeld } from './escalation.ts';
export { permissionsOfRoles } from './role-store.ts';
export { fullAdminRole, storeDefaultRole, storePermissions } from './store.ts';
export { permissionView, roleView } from './transformer.ts';
