export { type EndedSessions, whenUserIsDeleted, whenUserSessionsEnd } from './consequences.ts';
export { addUser, emailTaken, type NewUser, newPasswordFaults } from './create-user.ts';
export {
  findUserByEmail,
  replaceUserPasswordHash,
  requireUser,
  shareUser,
  shareUserByEmail,
  type UserRow,
} from './store.ts';
export { storePassword, vouchFor } from './store-password.ts';
export { userSelfView, userView } from './transformer.ts';
export { verifyEmail } from './verify-email.ts';
