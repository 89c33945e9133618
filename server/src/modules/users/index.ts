export { findUserByEmail, insertUser, requireUser, shareUserByEmail, type UserRow } from './store.ts';
export { userSelfView, userView } from './transformer.ts';
