import { invitationEndpoints as endpoints } from '@foyer/contract/resources/users/invitation.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, actionRoute } from '../../platform/http/input/call.ts';
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
    route(endpoints.listInvitations, async ({ params }) => {
      await requireCustomer(db, params.customer_id);
      return rows(invitationView, sql`invitations.customer_id = ${params.customer_id}`);
    }),
    route(endpoints.createInvitation, async (call) => {
      call.reply.header('cache-control', 'no-store');
      return row(invitationView, await createInvitation(dependencies, call));
    }),
    route(endpoints.readInvitation, async ({ params }) =>
      row(invitationView, await requireInvitation(db, params.customer_id, params.invitation_id)),
    ),
    actionRoute(endpoints.deleteInvitation, ({ actor, params }) =>
      withdrawInvitation(dependencies, actor, params.customer_id, params.invitation_id),
    ),
    route(endpoints.resendInvitation, async (call) => {
      call.reply.header('cache-control', 'no-store');
      return row(invitationView, await resendInvitation(dependencies, call));
    }),
    route(endpoints.acceptInvitation, async ({ actor, body }) =>
      row(userView, await acceptInvitation(dependencies, actor, body)),
    ),
  ];
}
