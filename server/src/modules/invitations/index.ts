import { defineModule } from '../../module.ts';
import { deleteInvitationsOf } from './withdraw-invitation.ts';
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
  reactions: {
    'customer.deleting': (change, { customerId }) => deleteInvitationsOf(change, 'customer_id', customerId),
    'account.deleting': (change, { accountId }) => deleteInvitationsOf(change, 'account_id', accountId),
    'room.deleting': (change, { roomId }) => deleteInvitationsOf(change, 'room_id', roomId),
  },
});
