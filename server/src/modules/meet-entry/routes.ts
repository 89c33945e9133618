import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { roomEntryEndpoints as endpoints } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Dependencies } from '../../dependencies.ts';
import { cutText, maxNameLength } from '../../platform/text/cut-text.ts';
import { forbidden, invalidInput } from '../../platform/failures.ts';
import { type Actor, type Principal, type Route, route, value } from '../../platform/http/input/call.ts';
import { inScope, may, requirePermission, requireRight, type Rights } from '../../platform/http/input/guard.ts';
import { printIdentifier, type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../platform/time/instant.ts';
import type { Reader } from '../../platform/list-query/view.ts';
import { rightsOf } from '../memberships/index.ts';
import { requireRoom, findBindableUsers } from '../rooms/index.ts';
import { requireUser } from '../users/index.ts';
import { joinAsVisitor } from './enter-room.ts';
import { checkEntry } from './check/check-entry.ts';
import type { CheckCaller } from './check/facts.ts';
import { customerWithAncestors, readableCustomers } from './check/facts-store.ts';
import { memberRole } from '../room-access/index.ts';
import { cleanName } from './clean-name.ts';

export function meetEntryRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.joinRoom, async ({ actor, params, body, principal, reply }) => {
      const staffRole = await staffRoleOf(dependencies, principal, params.room_id, body);
      const name = cleanName(body.name ?? (await ownName(dependencies, principal, staffRole)) ?? '');
      if (!name) throw invalidInput({ name: ['The name field is required.'] });
      const { entry, token } = await joinAsVisitor(dependencies, actor, params.room_id, {
        token: staffRole === null ? (body.token ?? null) : null,
        accessCode: body.access_code ?? null,
        name,
        staffRole,
        userId: principal?.kind === 'user' ? principal.id : null,
      });
      reply.header('cache-control', 'no-store');
      return value({
        object: 'RoomEntry',
        room_id: printIdentifier('room', params.room_id),
        role: entry.role,
        name,
        url: entry.url,
        playback: entry.playback && {
          hls_url: entry.playback.hlsUrl,
          expires_at: instantOfMicroseconds(entry.playback.expiresAtMs * 1000),
        },
        token,
        meeting_started: entry.meetingStarted,
        expires_at: entry.expiresAt,
      });
    }),
    route(endpoints.checkRoomEntry, async ({ actor, reader, params, body, principal, reply }) => {
      const caller = await callerOf(dependencies, reader, principal, params.room_id);
      const staffRole =
        body.role === undefined ? null : await staffRoleOf(dependencies, principal, params.room_id, body);
      if (body.user_id) await requireKnownUser(dependencies, actor, params.room_id, body.user_id);
      reply.header('cache-control', 'no-store');
      return value(
        await checkEntry(dependencies, { ...caller, address: actor.address }, params.room_id, {
          token: body.token ?? null,
          accessCode: body.access_code ?? null,
          staffRole,
          userId: body.user_id ?? null,
        }),
      );
    }),
  ];
}

/** The caller of a check, and what they may learn. */
async function callerOf(
  { db }: Dependencies,
  { userId, may: readerMay }: Reader,
  principal: Principal | null,
  roomId: Uuid,
): Promise<CheckCaller> {
  const permissions = { tokens: 'manage-rooms-tokens', codes: 'manage-rooms-access-codes' } as const;
  if (userId === null) {
    const [mayReadTokens, mayReadCodes] = [readerMay(permissions.tokens), readerMay(permissions.codes)];
    return { userId, may: readerMay, mayReadTokens, mayReadCodes, readableCustomerIds: new Set() };
  }
  const userRights = (await rightsOf(db, userId, 'room', roomId)) ?? noRights;
  const hasScope = principal !== null && inScope(principal, permissions.tokens);
  const customers = await customerWithAncestors(db, (await requireRoom(db, roomId)).customer_id);
  return {
    userId,
    may: readerMay,
    mayReadTokens: hasScope && userRights.rights.has('manage-tokens'),
    mayReadCodes: hasScope && userRights.rights.has('manage-access-codes'),
    readableCustomerIds: await readableCustomers(db, userId, idsOf(customers)),
  };
}

/**
 * The user of a check must be one to whom a token can be bound.
 * @throws 422
 */
async function requireKnownUser({ db }: Dependencies, actor: Actor, roomId: Uuid, userId: Uuid): Promise<void> {
  const { customer_id: customerId } = await requireRoom(db, roomId);
  const bindableUsers = await findBindableUsers(db, actor, customerId, [userId]);
  if (!bindableUsers.has(userId)) throw invalidInput({ user_id: ['The selected user id is invalid.'] });
}

/** The default name of a caller with a bearer token. A user's name is never the email address. */
async function ownName(
  { db }: Dependencies,
  principal: Principal | null,
  staffRole: RoomRole | null,
): Promise<string | undefined> {
  if (principal?.kind === 'user') return cutText((await requireUser(db, principal.id)).full_name, maxNameLength);
  return staffRole === null ? undefined : principal?.name;
}

/**
 * The role without a token: the requested one, or moderator by default.
 * @throws 403 if the caller requests a role without the permission, or as a user without the right
 */
async function staffRoleOf(
  { db }: Dependencies,
  principal: Principal | null,
  roomId: Uuid,
  { role, token }: { role?: RoomRole; token?: string | null },
): Promise<RoomRole | null> {
  if (role === undefined) {
    if ((token ?? null) !== null || principal === null) return null;
    if (principal.kind !== 'user') return may(principal, 'join-rooms') ? 'moderator' : null;
    return inScope(principal, 'join-rooms') ? await memberRole(db, principal.id, roomId) : null;
  }
  if (!principal) throw forbidden('forbidden', 'To set a role you need the permission join-rooms.');
  if (principal.kind !== 'user') requirePermission(principal, 'join-rooms');
  else if (inScope(principal, 'join-rooms'))
    requireRight((await rightsOf(db, principal.id, 'room', roomId)) ?? noRights, 'moderate');
  else throw forbidden('forbidden', 'To set a role your token needs the scope rooms:write.');
  return role;
}

const noRights: Rights = { rights: new Set(), fromAbove: new Set(), owner: false };
