export { fullAdminRole, storeDefaultRole, storePermissions } from './store.ts';
export { roleView } from './transformer.ts';
