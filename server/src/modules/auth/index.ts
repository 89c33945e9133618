import { defineModule } from '../../module.ts';
import { oauthClientView, oauthTokenView, personalAccessTokenView } from './transformer.ts';
import { endSessionsOfAdmin, endSessionsOfUser, endSignInsOfAdmin } from './sessions/end-sessions.ts';
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
  userOfRoomPages,
} from './sessions/room-page-sessions.ts';
export type { SignedInUser } from './sessions/sign-in-store.ts';

export const auth = defineModule({
  name: 'auth',
  routes: authRoutes,
  views: { OauthClient: oauthClientView, OauthToken: oauthTokenView, PersonalAccessToken: personalAccessTokenView },
  pages: registerAuthorizePages,
  jobs: authJobs,
  reactions: {
    'admin.sessions-ending': endSessionsOfAdmin,
    'user.sessions-ending': endSessionsOfUser,
    'user.deleting': (change, { userId }) => endSessionsOfUser(change, { userId, keptFamilyId: null }),
    'admin.two-factor-enabled': endSignInsOfAdmin,
  },
});
