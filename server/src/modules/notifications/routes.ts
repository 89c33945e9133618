import { roomInvitationEndpoints as endpoints } from '@foyer/contract/resources/rooms/room-invitation.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, value } from '../../platform/http/input/call.ts';
import { printRow } from '../../platform/list-query/print-row.ts';
import { roomTokenView } from '../rooms/index.ts';
import { inviteToRoom } from './room-invitations/invite-to-room.ts';

export function notificationRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.inviteToRoom, async (call) => {
      const { reader, reply } = call;
      reply.header('cache-control', 'no-store');
      const invited = await inviteToRoom(dependencies, call);
      await roomTokenView.hydrate?.(
        invited.map(({ token }) => token),
        reader,
      );
      return value({
        data: invited.map(({ token, email, unmailedReason }) => ({
          ...printRow(roomTokenView as never, token, reader, null),
          email,
          mailed: unmailedReason === null,
          unmailed_reason: unmailedReason,
        })),
        meta: { include: [], custom: [] },
      });
    }),
  ];
}
