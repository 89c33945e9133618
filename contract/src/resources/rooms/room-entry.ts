import { Type } from 'typebox';
import { endpoint, enveloped, holders, members, optionalToken } from '../../conventions/endpoint.ts';
import type { ErrorCode } from '../../conventions/error-codes.ts';
import {
  boolean,
  derived,
  identifier,
  instant,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { roomRoles } from './room.ts';

const params = { room_id: 'room' } as const;

/** The reasons for refusing entry, in the order in which they are checked. `limit-is-zero`: a limit of the room is 0. */
export const entryRefusals = [
  'room-inactive',
  'customer-not-usable',
  'account-not-usable',
  'entry-subscription-not-usable',
  'no-usable-provider',
  'meeting-not-accepted',
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
  'limit-is-zero',
  'waiting-for-moderator',
  'concurrent-meetings-reached',
  'concurrent-participants-reached',
  'room-full',
] as const satisfies readonly ErrorCode[];
export type EntryRefusal = (typeof entryRefusals)[number];

/** The reasons why a provider of the subscription takes no new meeting. */
export const passedOverReasons = ['down', 'draining', 'full', 'tags-missing', 'off-here', 'off'] as const;
export type PassedOverReason = (typeof passedOverReasons)[number];

const pageFields = {
  token: optional(nullable(text(200))),
  access_code: optional(nullable(text(64))),
  name: optional(text()),
  role: optional(
    oneOf(roomRoles, 'Join with this role, without a room token. Only for callers with the right to join rooms.'),
  ),
};

/** A fact that explains a refusal. */
const entryFact = object({
  message: text(1000),
  subject: nullable(
    object(
      {
        type: text(),
        id: nullable(text()),
        name: nullable(text(301)),
        status: nullable(text()),
      },
      { description: 'The resource that the fact is about; without id and name if the caller may not read it.' },
    ),
  ),
  feature: nullable(text()),
  limit: nullable(integer()),
  used: nullable(integer()),
  since: { ...nullable(instant()), description: 'When the reason began.' },
  until: { ...nullable(instant()), description: 'When the reason ends by itself.' },
});

export const roomEntryEndpoints = {
  joinRoom: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/join',
    tag: 'Room entry',
    summary: 'Enter a room and get the address to join its meeting',
    description:
      "Needs no access token if the caller has a room token or the room is public. For a personal room token, send an access token of its user; `name` is then that user's name by default. If you have none, send the person to the page of the room to sign in. The address is valid for one participant and one entry.",
    access: optionalToken,
    params,
    body: object(pageFields),
    asksProvider: true,
    answer: enveloped(
      object({
        object: derived(oneOf(['RoomEntry'])),
        room_id: text(),
        role: oneOf(roomRoles),
        name: text(),
        url: text(4096),
        playback: nullable(
          object(
            { hls_url: text(4096), expires_at: instant() },
            {
              description:
                'The signed playlist of the stream or the first video, for your own player. It expires at `expires_at`; call `joinRoom` again for a new one. (The page of the room does this by itself.) Null for a meeting, and if there is nothing to play.',
            },
          ),
        ),
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
    summary: 'List every reason to refuse a join, and the provider, meeting and limits that the join would use',
    description:
      'Tests what a participant would see. It does not join the meeting, reserve a slot or use up the token. `user_id`: check as if this user were signed in; without it, the check is for an anonymous visitor. If the caller may not read the tokens and access codes of the room, wrong ones count as failed attempts, as in an entry.',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
    params,
    body: object({ ...pageFields, user_id: optional(nullable(identifier('user'))) }),
    asksProvider: true,
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
            message: text(1000, { description: 'The message that the visitor sees.' }),
            facts: listOf(entryFact),
          }),
        ),
        would_use: object(
          {
            token_id: nullable(text()),
            access_code_id: nullable(text()),
            meeting_id: nullable(
              text(150, {
                description:
                  'The running meeting, even while its server does not respond; null if the entry would start one.',
              }),
            ),
            starts_meeting: boolean(),
            may_be_recorded: boolean('Whether a meeting that starts now could be recorded.'),
            not_recorded_by: nullable(
              oneOf(['recording', 'max_recordings', 'max_storage'], 'The feature that prevents recording.'),
            ),
            providers: listOf(
              object({
                id: nullable(text()),
                name: nullable(text()),
                type: text(),
                state: text(20, { description: '`healthy`, `degraded`, `down` or `unknown`.' }),
                since: nullable(instant()),
              }),
            ),
            passed_over: listOf(
              object({
                id: nullable(text()),
                name: nullable(text()),
                type: text(),
                reason: oneOf(
                  passedOverReasons,
                  '`off-here`: switched off for the subscription. `off`: switched off altogether. `draining` lasts until an administrator ends it.',
                ),
                message: text(1000),
                since: nullable(instant()),
              }),
            ),
            limits: listOf(
              object({
                feature: text(),
                limit: nullable(integer()),
                used: nullable(integer()),
                until: nullable(instant()),
              }),
            ),
          },
          {
            description:
              'What the join would use. `providers` and `passed_over` are each in the order in which they are tried. Id and name of a provider are null if the caller may not read it. A `limit` of null means unlimited.',
          },
        ),
      }),
    ),
    errors: ['too-many-requests'],
  }),
};
