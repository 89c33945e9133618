import { Type } from 'typebox';
import { endpoint, enveloped, holders, members, openDoor } from './endpoint.ts';
import type { ErrorCode } from './error-codes.ts';
import { boolean, derived, instant, listOf, nullable, object, oneOf, optional, text } from './field.ts';
import { roomRoles } from './room.ts';

const params = { room_id: 'room' } as const;

/** The refusals at the door, in the order in which they are looked for. */
export const entryRefusals = [
  'room-inactive',
  'customer-not-usable',
  'account-not-usable',
  'entry-subscription-not-usable',
  'no-usable-provider',
  'token-required',
  'token-unknown',
  'token-not-yet-valid',
  'token-expired',
  'token-used-up',
  'token-of-another-user',
  'guest-access-off',
  'access-code-required',
  'access-code-wrong',
  'access-code-other-role',
  'participant-minutes-used-up',
  'waiting-for-moderator',
  'concurrent-meetings-reached',
  'concurrent-participants-reached',
  'room-full',
] as const satisfies readonly ErrorCode[];
export type EntryRefusal = (typeof entryRefusals)[number];

const entryRequest = object({
  token: optional(nullable(text(200))),
  access_code: optional(nullable(text(64))),
  name: optional(text(255)),
  role: optional(oneOf(roomRoles, 'Instead of a token, for a bearer that may join rooms.')),
});

export const roomEntryEndpoints = {
  joinRoom: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/join',
    tag: 'Room entry',
    summary: 'Enter a room: checks, a place, and the address at which the meeting is',
    description:
      "Needs no bearer: the room token, or the room's being public, is the credential. The address is for this one participant and this one entry.",
    access: openDoor,
    params,
    body: entryRequest,
    asksProvider: true,
    answer: enveloped(
      object({
        object: derived(oneOf(['RoomEntry'])),
        room_id: text(),
        role: oneOf(roomRoles),
        name: text(),
        url: text(4096),
        token: nullable(text(200)),
        meeting_started: boolean('Whether this entry started the meeting.'),
        expires_at: instant(),
      }),
    ),
    errors: [...entryRefusals, 'provider-unavailable', 'forbidden'],
  }),
  checkRoomEntry: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/join-check',
    tag: 'Room entry',
    summary: 'List every reason why a token would be refused at the door',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
    params,
    body: entryRequest,
    answer: enveloped(
      object({
        object: derived(oneOf(['RoomEntryCheck'])),
        room_id: text(),
        allowed: boolean(),
        role: nullable(oneOf(roomRoles)),
        reasons: listOf(
          object({
            code: Type.Unsafe<EntryRefusal | 'provider-unavailable'>({
              type: 'string',
              enum: [...entryRefusals, 'provider-unavailable'],
            }),
            message: text(1000),
          }),
        ),
      }),
    ),
  }),
};
