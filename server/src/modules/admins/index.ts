export { createFirstAdmin } from './create-first-admin.ts';
export { findAdminByName, setPasswordHash } from './store.ts';
