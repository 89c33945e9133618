import type { TSchema } from 'typebox';
import { endpoint, holders, list, members, single } from '../../conventions/endpoint.ts';
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
  text,
} from '../../conventions/field.ts';
import { identity, many, one, resource, timestamps } from '../../conventions/resource.ts';
import { roomTypes } from '../providers/provider-types.ts';
import { roomRoles } from '../rooms/room.ts';

export const meetingStates = ['opening', 'open', 'ended'] as const;
export type MeetingStateName = (typeof meetingStates)[number];

function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const count = (description: string) => described(integer(0, Number.MAX_SAFE_INTEGER), description);

export const Meeting = resource({
  object: 'Meeting',
  prefix: 'meet',
  readPermission: 'read-meetings',
  fields: {
    ...identity('Meeting', 'meet'),
    room_id: identifier('room'),
    room_type: oneOf(roomTypes, 'The session of a video, live or simulcast room is a meeting of its viewers.'),
    customer_id: identifier('cust'),
    subscription_id: identifier('sub'),
    state: oneOf(
      meetingStates,
      '`opening`: a participant is entering, and the provider has not confirmed the meeting yet.',
    ),
    provider: derived(
      nullable(
        object(
          { id: text(), name: text(), type: text() },
          {
            description:
              'Where it takes place; null for users, until a provider has opened it, and once the provider was deleted.',
          },
        ),
      ),
    ),
    provider_meeting_id: text(256),
    participant_count: count('Who is in now, as the provider says.'),
    peak_participants: count('The most who were in at once.'),
    participant_minutes: count(
      'All minutes that its participants have begun, those of who is in included: what it has cost of `participant_minutes` so far.',
    ),
    started_at: nullable(instant()),
    ended_at: nullable(instant()),
    end_reason: nullable(
      text(50, {
        description:
          '`ended`: on the provider, by a moderator, for want of participants or at the end of its duration. `ended-by-request`: by a call of this API. `participant-minutes-used-up`, `room-deleted`, `provider-lost` (it said nothing for ten minutes, or was down when the end was asked for), `subscription-suspended`, `account-inactive`, `customer-terminated` and the like: by the platform.',
      }),
    ),
    ...timestamps(),
  },
  includes: {
    room: one('Room'),
    customer: one('Customer'),
    subscription: one('ServicePackageSubscription'),
    participants: many('Participant'),
    recordings: many('Recording'),
  },
});

export const Participant = resource({
  object: 'Participant',
  prefix: 'part',
  readPermission: 'read-meetings',
  fields: {
    ...identity('Participant', 'part'),
    meeting_id: identifier('meet'),
    room_id: identifier('room'),
    name: nullable(
      text(150, {
        freeText: true,
        description:
          'Under which they were in the meeting; null once it was forgotten, after the setting `participant_names_days`.',
      }),
    ),
    role: oneOf(roomRoles),
    by_door: boolean("Whether they came by the room's door; others entered past it, on the provider."),
    room_token_id: nullable(identifier('rtok', 'The token with which they came, if that is there still.')),
    user_id: nullable(
      identifier(
        'user',
        'As whom they were signed in when they came, at the page or over the API. Null for everybody else; forgotten with the name.',
      ),
    ),
    joined_at: described(instant(), 'When they came first.'),
    left_at: nullable(described(instant(), 'When they left last; null while they are in.')),
    minutes: count('The minutes that they have begun, at least one for each stay.'),
    stays: derived(listOf(object({ joined_at: instant(), left_at: nullable(instant()), minutes: integer() }), 1000)),
    ...timestamps(),
  },
  includes: { meeting: one('Meeting'), room_token: one('RoomToken'), user: one('User') },
});

const tag = 'Meetings';
const params = { meeting_id: 'meet' } as const;

export const meetingEndpoints = {
  listMeetings: endpoint({
    method: 'GET',
    path: '/meetings',
    tag,
    summary: 'List meetings',
    description:
      'One for each session of a room on a provider, also those that are over: `search=state:open` finds what runs.',
    access: holders('read-meetings', members('read-room')),
    answer: list(Meeting),
  }),
  listRoomMeetings: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/meetings',
    tag,
    summary: 'List the meetings of a room',
    access: holders('read-meetings', members('read-room', 'room', 'room_id')),
    params: { room_id: 'room' },
    answer: list(Meeting),
  }),
  listServiceProviderMeetings: endpoint({
    method: 'GET',
    path: '/service-providers/:service_provider_id/meetings',
    tag,
    summary: 'List the meetings on a service provider',
    access: holders('read-meetings'),
    params: { service_provider_id: 'prov' },
    answer: list(Meeting),
  }),
  readMeeting: endpoint({
    method: 'GET',
    path: '/meetings/:meeting_id',
    tag,
    summary: 'Read a meeting',
    access: holders('read-meetings', members('read-room', 'meeting', 'meeting_id')),
    params,
    answer: single(Meeting),
  }),
  listMeetingParticipants: endpoint({
    method: 'GET',
    path: '/meetings/:meeting_id/participants',
    tag,
    summary: 'List who was in a meeting, and when',
    description:
      'Everybody whom the provider showed, also who came past the door of the room. Who leaves and is back within a minute has not left. `include=room_token,user` adds the token with which each came, whose `name` tells who was invited, and its user, as far as the caller may read those. Names are kept for `participant_names_days` (a setting).',
    access: holders('read-meetings', members('moderate', 'meeting', 'meeting_id')),
    params,
    answer: list(Participant),
  }),
  endMeeting: endpoint({
    method: 'POST',
    path: '/meetings/:meeting_id/end',
    tag,
    summary: 'End a meeting for everybody',
    description: 'On its provider, too. A meeting that has ended is answered as it is.',
    access: holders('end-meetings', members('moderate', 'meeting', 'meeting_id')),
    params,
    asksProvider: true,
    answer: single(Meeting),
    errors: ['provider-unavailable'],
  }),
};
