import { Type } from 'typebox';
import { bare, endpoint, holders, members } from '../../conventions/endpoint.ts';
import { boolean, instant, integer, listOf, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { roomRoles } from './room.ts';
import { RoomToken } from './room-token.ts';

export const mostInvitedAtOnce = 100;

/** A room token with the address that it was mailed to. */
export const InvitedRoomToken = object({
  ...RoomToken.fields,
  email: text(254),
  mailed: boolean('False if the platform or the receiver switched invitations to rooms off.'),
});

export const roomInvitationEndpoints = {
  inviteToRoom: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/invite',
    tag: 'Rooms',
    summary: 'Invite people to a room by mail',
    description: `Creates a token for each address and mails its link: one mail for each, so that receivers do not see each other. Up to ${mostInvitedAtOnce} addresses; one that is named twice gets one mail. With \`starts_at\` the mail carries a calendar entry (iCalendar). An address that was invited before keeps its token, gets another mail, and its calendar entry is updated; without \`starts_at\` that entry is canceled, as it is when the token is deleted. Users need the right \`moderate\` to invite moderators.`,
    access: holders('manage-rooms-tokens', members('manage-tokens', 'room', 'room_id')),
    params: { room_id: 'room' },
    body: object({
      to: listOf(text(254, { format: 'email' }), mostInvitedAtOnce),
      role: oneOf(roomRoles),
      message: optional(nullable(Type.String({ maxLength: 2000, 'x-multiline': true }))),
      starts_at: optional(nullable(instant())),
      duration_minutes: optional(integer(1, 44_640)),
    }),
    answer: bare(
      object({
        data: listOf(InvitedRoomToken),
        meta: object({ include: listOf(text()), custom: listOf(text()) }),
      }),
      201,
    ),
    errors: ['privilege-escalation'],
  }),
};
