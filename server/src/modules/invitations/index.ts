import { defineModule } from '../../module.ts';
import { deleteInvitationsOfResource } from './delete-invitations.ts';
import { invitationView } from './transformer.ts';
import { registerInvitationPages } from './pages.ts';
import { relations, tenantScopes } from './relations.ts';
import { invitationRoutes } from './routes.ts';

export const invitations = defineModule({
  name: 'invitations',
  routes: invitationRoutes,
  views: { Invitation: invitationView },
  pages: registerInvitationPages,
  relations,
  tenantScopes,
  reactions: deleteInvitationsOfResource,
});
