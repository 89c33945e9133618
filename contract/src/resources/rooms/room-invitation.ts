import { Type } from 'typebox';
import { bare, endpoint, holders, members } from '../../conventions/endpoint.ts';
import { boolean, instant, integer, listOf, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { roomRoles } from './room.ts';
import { RoomToken } from './room-token.ts';

export const maxInvitationRecipients = 100;

/** Why an invitation is not mailed. */
export const unmailedReasons = ['switched-off', 'recipient-opted-out', 'no-mail-server'] as const;

/** A room token with the address that it was mailed to. */
export const InvitedRoomToken = object({
  ...RoomToken.fields,
  email: text(254),
  mailed: boolean(
    'False if no mail server is configured, or the platform or the recipient has switched off room invitations.',
  ),
  unmailed_reason: nullable(
    oneOf(
      unmailedReasons,
      'Why `mailed` is false. `no-mail-server`: the mail is kept, and listed at `/mails`. `switched-off`: by the platform.',
    ),
  ),
});

export const roomInvitationEndpoints = {
  inviteToRoom: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/invite',
    tag: 'Rooms',
    summary: 'Invite people to a room by mail',
    description: `Creates a token for each address and sends its link in a separate mail, so that recipients do not see each other. Up to ${maxInvitationRecipients} addresses; duplicates get one mail. With \`starts_at\` the mail has a calendar entry (iCalendar). An address that was invited before keeps its token and gets another mail, which updates its calendar entry. Without \`starts_at\`, or when the token is deleted, the entry is canceled. Users need the right \`moderate\` to invite moderators.`,
    access: holders('manage-rooms-tokens', members('manage-tokens', 'room', 'room_id')),
    params: { room_id: 'room' },
    body: object({
      to: listOf(text(254, { format: 'email' }), maxInvitationRecipients),
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
