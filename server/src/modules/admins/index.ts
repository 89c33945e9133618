export { createFirstAdmin } from './create-first-admin.ts';
export { resetAdminPassword } from './reset-admin-password.ts';
export { findAdminByName } from './store.ts';
