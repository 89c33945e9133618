export { createFirstAdmin } from './create-first-admin.ts';
export { findAdminByName, replaceAdminPasswordHash, requireAdmin, setPasswordHash } from './store.ts';
