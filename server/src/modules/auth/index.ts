import { defineModule } from '../../module.ts';
import { oauthClientView, oauthTokenView, personalAccessTokenView } from './transformer.ts';
import { endSessionsOf, endSignInsOfAdmin } from './sessions/end-sessions.ts';
import { authJobs } from './jobs.ts';
import { registerAuthorizePages } from './pages.ts';
import { authRoutes } from './routes.ts';

export { createAuthenticator } from './authenticate.ts';
export { createFirstPartyClient, installProxyClients } from './clients/install-clients.ts';
export { resetAdminPassword } from './sessions/reset-admin-password.ts';
export {
  roomPageSessionSeconds,
  signInToRoomPages,
  signOutOfRoomPages,
  findRoomPageUser,
} from './sessions/room-page-sessions.ts';
export type { SignedInUser } from './sessions/sign-in-store.ts';

export const auth = defineModule({
  name: 'auth',
  routes: authRoutes,
  views: { OauthClient: oauthClientView, OauthToken: oauthTokenView, PersonalAccessToken: personalAccessTokenView },
  pages: registerAuthorizePages,
  jobs: authJobs,
  reactions: {
    'admin.sessions-ending': (change, { adminId: id, keptFamilyId }) =>
      endSessionsOf(change, { population: 'admins', id }, keptFamilyId),
    'user.sessions-ending': (change, { userId: id, keptFamilyId }) =>
      endSessionsOf(change, { population: 'users', id }, keptFamilyId),
    'user.deleting': (change, { userId: id }) => endSessionsOf(change, { population: 'users', id }, null),
    'admin.two-factor-enabled': (change, { adminId, keptFamilyId }) => endSignInsOfAdmin(change, adminId, keptFamilyId),
  },
});
