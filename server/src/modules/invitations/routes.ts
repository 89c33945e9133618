import { invitationEndpoints as endpoints } from '@foyer/contract/resources/users/invitation.ts';
import type { Dependencies } from '../../dependencies.ts';
import { nestedListRoute } from '../../nested-routes.ts';
import { type Route, route, row, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { requireCustomer } from '../customers/index.ts';
import { userView } from '../users/index.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation, resendInvitation } from './invite.ts';
import { requireInvitation } from './store.ts';
import { invitationView } from './transformer.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

export function invitationRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    nestedListRoute(dependencies, endpoints.listInvitations, invitationView, {
      column: 'customer_id',
      require: requireCustomer,
    }),
    route(endpoints.createInvitation, async (call) => {
      call.reply.header('cache-control', 'no-store');
      return row(invitationView, await createInvitation(dependencies, call));
    }),
    rowRoute(endpoints.readInvitation, invitationView, ({ params }) =>
      requireInvitation(db, params.customer_id, params.invitation_id),
    ),
    actionRoute(endpoints.deleteInvitation, (call) => withdrawInvitation(dependencies, call)),
    route(endpoints.resendInvitation, async (call) => {
      call.reply.header('cache-control', 'no-store');
      return row(invitationView, await resendInvitation(dependencies, call));
    }),
    rowRoute(endpoints.acceptInvitation, userView, ({ actor, body }) => acceptInvitation(dependencies, actor, body)),
  ];
}
