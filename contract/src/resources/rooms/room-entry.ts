import { Type } from 'typebox';
import { endpoint, enveloped, holders, members, openDoor } from '../../conventions/endpoint.ts';
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

/** The reasons for refusing entry, in the order in which they are checked. */
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

/** Why no new meeting would be opened on a provider that the subscription has. */
export const passedOverReasons = ['down', 'draining', 'full', 'tags-missing', 'off-here', 'off'] as const;
export type PassedOverReason = (typeof passedOverReasons)[number];

const shown = {
  token: optional(nullable(text(200))),
  access_code: optional(nullable(text(64))),
  name: optional(text()),
  role: optional(oneOf(roomRoles, 'Instead of a token, for a bearer that may join rooms.')),
};

/** Something that stands in the way, or what a refusal was reckoned from. */
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
      { description: 'Which one: without id and name where the caller may not know them.' },
    ),
  ),
  feature: nullable(text()),
  limit: nullable(integer()),
  used: nullable(integer()),
  since: { ...nullable(instant()), description: 'Since when it stands in the way.' },
  until: { ...nullable(instant()), description: 'When it goes away by itself.' },
});

export const roomEntryEndpoints = {
  joinRoom: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/join',
    tag: 'Room entry',
    summary: 'Enter a room: checks, a place, and the address at which the meeting is',
    description:
      "Needs no bearer: the room token, or the room's being public, is the credential. A personal token also takes a bearer of its user, whose name is used where none is given; without a bearer, its user signs in at the page of the room. The address is for this one participant and this one entry.",
    access: openDoor,
    params,
    body: object(shown),
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
                'For players other than the page: the signed playlist of the stream, or of the first video. The page renews it. Null for a meeting, and where there is nothing to play.',
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
    summary: 'List every reason why a token would be refused, and what the entry would use',
    description:
      'For whoever is asked why somebody cannot join. Nobody is let in, no place is taken, no use of a token is counted. `user_id` is as whom the token is shown; without it, by a stranger. Whoever may not read the tokens and access codes of the room is counted as guessing, as at the door.',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
    params,
    body: object({ ...shown, user_id: optional(nullable(identifier('user'))) }),
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
            message: text(1000, { description: 'What the visitor is told.' }),
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
                  'The meeting that runs, also while its server does not answer; null where one would be started.',
              }),
            ),
            starts_meeting: boolean(),
            may_be_recorded: boolean('Whether a meeting that is opened now could be recorded.'),
            not_recorded_by: nullable(
              oneOf(['recording', 'max_recordings', 'max_storage'], 'The feature that keeps it from being recorded.'),
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
                  '`off-here`: switched off for the subscription; `off`: altogether. `draining` ends when an administrator says so.',
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
              'What an entry would take: providers in the order in which they are tried, and those on which no new meeting would be opened, without id and name where the caller may not know them; a `limit` of null is none.',
          },
        ),
      }),
    ),
    errors: ['too-many-requests'],
  }),
};
