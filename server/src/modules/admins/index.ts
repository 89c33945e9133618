export { type EndedAdminSessions, whenAdminSessionsEnd } from './consequences.ts';
export { countFullAdmins } from './full-admins.ts';
export { createFirstAdmin, createFurtherAdmin } from './create-first-admin.ts';
export { findAdminByName, lockAdmin, replaceAdminPasswordHash, requireAdmin, setPasswordHash } from './store.ts';
export { storeAdminPassword, verifyAdminEmail } from './store-password.ts';
export { refuseStrongerAdmin } from './stronger-admin.ts';
