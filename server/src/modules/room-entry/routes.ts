import { type RoomRole } from '@foyer/contract/room.ts';
import { roomEntryEndpoints as endpoints } from '@foyer/contract/room-entry.ts';
import type { Dependencies } from '../../dependencies.ts';
import { forbidden, invalidInput } from '../../platform/failures.ts';
import { type Principal, type Route, route, value } from '../../platform/http/call.ts';
import { may, requirePermission } from '../../platform/http/guard.ts';
import { printIdentifier } from '../../platform/identifier.ts';
import { admitVisitor } from './admit-visitor.ts';
import { checkEntry } from './check-entry.ts';

export function roomEntryRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.joinRoom, async ({ actor, params, body, principal, reply }) => {
      const staffRole = staffRoleOf(principal, body) ?? defaultStaffRole(principal, body.token ?? null);
      const name = body.name ?? (may(principal, 'join-rooms') ? principal?.name : undefined);
      if (!name) throw invalidInput({ name: ['The name field is required.'] });
      const { entry, token } = await admitVisitor(dependencies, actor, params.room_id, {
        token: staffRole === null ? (body.token ?? null) : null,
        accessCode: body.access_code ?? null,
        name,
        staffRole,
      });
      reply.header('cache-control', 'no-store');
      return value({
        object: 'RoomEntry',
        room_id: printIdentifier('room', params.room_id),
        role: entry.role,
        name,
        url: entry.url,
        token,
        meeting_started: entry.meetingStarted,
        expires_at: entry.expiresAt,
      });
    }),
    route(endpoints.checkRoomEntry, async ({ params, body, principal }) =>
      value(
        await checkEntry(dependencies, params.room_id, {
          token: body.token ?? null,
          accessCode: body.access_code ?? null,
          staffRole: staffRoleOf(principal, body),
        }),
      ),
    ),
  ];
}

/** The role that is named instead of a token. @throws 403 without the permission to name one */
function staffRoleOf(principal: Principal | null, { role }: { role?: RoomRole }): RoomRole | null {
  if (role === undefined) return null;
  if (!principal) throw forbidden('forbidden', 'Naming a role needs the permission join-rooms.');
  requirePermission(principal, 'join-rooms');
  return role;
}

function defaultStaffRole(principal: Principal | null, token: string | null): RoomRole | null {
  return token === null && may(principal, 'join-rooms') ? 'moderator' : null;
}
