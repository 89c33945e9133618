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

function withDescription<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const count = (description: string) => withDescription(integer(0, Number.MAX_SAFE_INTEGER), description);

export const Meeting = resource('meeting', {
  readPermission: 'read-meetings',
  fields: {
    ...identity('meeting'),
    room_id: identifier('room'),
    room_type: oneOf(
      roomTypes,
      'Video, live and simulcast rooms have meetings, too: their participants are the viewers.',
    ),
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
              'The provider that hosts it. Null for users, until a provider has opened it, and after the provider was deleted.',
          },
        ),
      ),
    ),
    provider_meeting_id: text(256),
    participant_count: count('Participants at the moment, as the provider reports.'),
    peak_participants: count('The most participants at the same time.'),
    participant_minutes: count(
      'The started minutes of all participants so far, including those who are in the meeting now. They count against `participant_minutes`.',
    ),
    started_at: nullable(instant()),
    ended_at: nullable(instant()),
    end_reason: nullable(
      text(50, {
        description:
          '`ended`: it ended on the provider, because a moderator ended it, everyone had left, or the duration of a meeting of a `meet` room was over. `ended-by-request`: a request to this API ended it. With all other reasons, the platform ended it, such as `participant-minutes-used-up`, `room-deleted`, `subscription-suspended`, `account-inactive`, `room-inactive` (of video, live and simulcast rooms), `customer-terminated`, and `provider-lost` (the provider did not respond for ten minutes, or was down when the meeting was to end). A broadcast has the reason of its event `stream.ended`, such as `max-duration`, `max-bitrate`, `max-resolution`, `stream-minutes-used-up` or `key-rotated`.',
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

export const Participant = resource('participant', {
  readPermission: 'read-meetings',
  fields: {
    ...identity('participant'),
    meeting_id: identifier('meet'),
    room_id: identifier('room'),
    name: nullable(
      text(150, {
        freeText: true,
        description: 'The name that the participant used; null after the days of the setting `participant_names_days`.',
      }),
    ),
    role: oneOf(roomRoles),
    by_door: boolean('Whether the participant joined through Foyer; others joined directly on the provider.'),
    room_token_id: nullable(identifier('rtok', 'The token that the participant used, unless it was deleted.')),
    user_id: nullable(
      identifier(
        'user',
        'The user, if signed in on the page of the room or through the API. Null for guests, and after the name was deleted.',
      ),
    ),
    joined_at: nullable(
      withDescription(instant(), 'When the participant first joined; null only in the event `participant.admitted`.'),
    ),
    left_at: nullable(withDescription(instant(), 'When the participant last left; null while in the meeting.')),
    minutes: count('The started minutes of the participant, at least one for each stay.'),
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
      'Running and ended meetings, one for each session of a room on a provider. `search=state:open` finds the running ones.',
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
    summary: 'List the participants of a meeting',
    description:
      'All participants that the provider reported, including those who joined directly on the provider. A participant who returns within a minute does not count as having left. `include=room_token,user` adds the room token of each participant, whose `name` tells who was invited, and the user, as far as the caller may read them. Names are kept for the days of the setting `participant_names_days`.',
    access: holders('read-meetings', members('moderate', 'meeting', 'meeting_id')),
    params,
    answer: list(Participant),
  }),
  endMeeting: endpoint({
    method: 'POST',
    path: '/meetings/:meeting_id/end',
    tag,
    summary: 'End a meeting for everyone',
    description: 'Also ends it on its provider. A meeting that has already ended is returned unchanged.',
    access: holders('end-meetings', members('moderate', 'meeting', 'meeting_id')),
    params,
    asksProvider: true,
    answer: single(Meeting),
    errors: ['provider-unavailable'],
  }),
};
