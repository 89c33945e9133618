import { whenAdminSessionsEnd } from '../admins/index.ts';
import { whenUserSessionsEnd } from '../users/index.ts';
import { whenTwoFactorIsEnabled } from '../two-factor/index.ts';
import { endSessionsOfAdmin, endSessionsOfUser } from './end-sessions.ts';
import { endSignIns } from './sign-in-store.ts';

export { createAuthenticator } from './authenticate.ts';
export { createFirstPartyClient, installProxyClients } from './install-clients.ts';
export { resetAdminPassword } from './reset-admin-password.ts';
export { roomPageSessionSeconds, signInAtRooms, signOutAtRooms, userSignedInAtRooms } from './room-page-sessions.ts';
export type { SignedInUser } from './sign-in-store.ts';

whenAdminSessionsEnd.add(endSessionsOfAdmin);
whenUserSessionsEnd.add(endSessionsOfUser);
whenTwoFactorIsEnabled.add(({ tx, now }, { adminId, keptFamilyId }) => endSignIns(tx, adminId, keptFamilyId, now));
