export { createFirstAdmin } from './create-first-admin.ts';
export { findAdminByName, replaceAdminPasswordHash, requireAdmin, setPasswordHash, verifyAdminEmail } from './store.ts';
