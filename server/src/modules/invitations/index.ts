import { defineModule } from '../../module.ts';
import { registerInvitationPages } from './pages.ts';
import { relations, tenantScopes } from './relations.ts';
import { invitationRoutes } from './routes.ts';

export const invitations = defineModule({
  name: 'invitations',
  routes: invitationRoutes,
  pages: registerInvitationPages,
  relations,
  tenantScopes,
});
