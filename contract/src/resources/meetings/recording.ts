import { type TSchema, Type } from 'typebox';
import { empty, endpoint, enveloped, holders, list, members, single } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  identifier,
  instant,
  integer,
  listOf,
  metadata,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

/** A deleted recording is gone: no answer shows it. */
export const recordingStates = ['processing', 'processed', 'published', 'unpublished'] as const;
export type RecordingStateName = (typeof recordingStates)[number];

function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const playback = object({
  type: text(50, { description: '`presentation`, `video`, `podcast`, `notes` and other formats of the provider.' }),
  length: described(integer(), 'In minutes.'),
  url: text(2048, { description: 'Opens it in a browser without any bearer, until `expires_at`.' }),
  expires_at: described(instant(), 'When the link ends; reading the recording again gives a new one.'),
});

export const Recording = resource({
  object: 'Recording',
  prefix: 'rec',
  readPermission: 'read-recordings',
  fields: {
    ...identity('Recording', 'rec'),
    room_id: identifier('room'),
    meeting_id: nullable(identifier('meet', 'Null for one that was made outside of the meetings that are known.')),
    customer_id: identifier('cust'),
    subscription_id: identifier('sub'),
    service_provider_id: derived(
      nullable(identifier('prov', 'Where it is kept; null for users, and once the provider was deleted.')),
    ),
    provider_recording_id: derived(
      nullable(text(256, { description: 'How the provider calls it; null for users of customers.' })),
    ),
    name: text(150, { freeText: true }),
    state: oneOf(
      recordingStates,
      '`processing` and `processed`: cannot be watched yet. `unpublished`: kept, but not shown.',
    ),
    published: boolean(),
    changes_pending: boolean('Whether the provider has still to carry out what was changed here: it is asked again.'),
    started_at: nullable(instant()),
    ended_at: nullable(instant()),
    participants: nullable(integer()),
    size_bytes: nullable(
      described(
        Type.Integer({ minimum: 0 }),
        'What it takes of `max_storage`; null, and so nothing of it, while its provider reports no size.',
      ),
    ),
    size_estimated: boolean(
      'Whether the size is estimated from the length, by `recording_kbps` of the provider, which reports none.',
    ),
    playback: derived(described(listOf(playback), 'Of a published recording; empty for every other.')),
    plays: described(integer(), 'How often a link to it was opened.'),
    last_played_at: nullable(instant()),
    expires_at: nullable(
      described(
        instant(),
        'When it is deleted, by the feature `record_expiration` of its room; null where that is unlimited.',
      ),
    ),
    recording_metadata: metadata(),
    ...timestamps(),
  },
  includes: {
    room: one('Room'),
    meeting: one('Meeting'),
    customer: one('Customer'),
    subscription: one('ServicePackageSubscription'),
  },
});

export const RecordingTextTracks = object({
  object: derived(oneOf(['RecordingTextTracks'])),
  recording_id: text(),
  text_tracks: listOf(
    object({
      kind: oneOf(['subtitles', 'captions']),
      language: text(35, { description: 'As `pt-BR`.' }),
      label: text(200),
      source: nullable(text(50, { description: '`upload`, or what made it.' })),
      url: text(2048, { description: 'Gives the track as WebVTT without any bearer, until `expires_at`.' }),
      expires_at: instant(),
    }),
  ),
});

export const RecordingLink = object({
  object: derived(oneOf(['RecordingLink'])),
  recording_id: text(),
  type: text(),
  url: text(2048, { description: 'Opens it in a browser without any bearer, until `expires_at`.' }),
  expires_at: instant(),
});

const tag = 'Recordings';
const params = { recording_id: 'rec' } as const;

export const recordingEndpoints = {
  listRecordings: endpoint({
    method: 'GET',
    path: '/recordings',
    tag,
    summary: 'List recordings',
    description:
      'They are brought in line with what the providers have: at once when a provider tells of one, else within minutes. `search=state:processing` finds those that cannot be watched yet.',
    access: holders('read-recordings', members('read-recordings')),
    answer: list(Recording),
  }),
  listRoomRecordings: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/recordings',
    tag,
    summary: 'List the recordings of a room',
    access: holders('read-recordings', members('read-recordings', 'room', 'room_id')),
    params: { room_id: 'room' },
    answer: list(Recording),
  }),
  readRecording: endpoint({
    method: 'GET',
    path: '/recordings/:recording_id',
    tag,
    summary: 'Read a recording with links to watch it',
    description:
      'Each link of `playback` is signed, works without a bearer token for everyone who has it, and expires at its `expires_at` (the setting `playback_link_minutes`). It leads to the provider while the recording is published and the subscription of its room can be used.',
    access: holders('read-recordings', members('read-recordings', 'recording', 'recording_id')),
    params,
    answer: single(Recording),
  }),
  updateRecording: endpoint({
    method: 'PATCH',
    path: '/recordings/:recording_id',
    tag,
    summary: 'Rename, publish or withdraw a recording',
    description:
      'Carried out on the provider, too. Where that does not answer the change holds here at once, `changes_pending` is true, and the provider is asked again until it has done it. What cannot be watched yet is published or not once it can. `recording_metadata` replaces what was there; of it the provider gets the texts, numbers and booleans.',
    access: holders('update-recordings', members('manage-recordings', 'recording', 'recording_id')),
    params,
    body: object({
      name: optional(text(150, { minLength: 1 })),
      published: optional(boolean()),
      recording_metadata: optional(nullable(metadata())),
    }),
    immutable: object({
      room_id: optional(identifier('room')),
      customer_id: optional(identifier('cust')),
      subscription_id: optional(identifier('sub')),
    }),
    answer: single(Recording),
  }),
  deleteRecording: endpoint({
    method: 'DELETE',
    path: '/recordings/:recording_id',
    tag,
    summary: 'Delete a recording, on its provider too',
    description:
      'It is gone here at once, with its links, and takes no space any more. A provider that does not answer is asked again until it has deleted it.',
    access: holders('delete-recordings', members('manage-recordings', 'recording', 'recording_id')),
    params,
    answer: empty,
  }),
  createRecordingLink: endpoint({
    method: 'POST',
    path: '/recordings/:recording_id/links',
    tag,
    summary: 'Make a link to watch a recording that ends when you say',
    description:
      'As those of `playback`, for as many `minutes` as are asked for: from 1 to what the setting `playback_link_minutes` admits, which it is unless given. Nothing is stored: it is made at this moment, and ends by itself, or as soon as the recording is withdrawn or deleted.',
    access: holders('read-recordings', members('read-recordings', 'recording', 'recording_id')),
    params,
    body: object({
      type: text(50, { minLength: 1, description: 'One of those that `playback` of the recording has.' }),
      minutes: optional(integer(1, 10_080)),
    }),
    answer: enveloped(RecordingLink),
  }),
  readRecordingTextTracks: endpoint({
    method: 'GET',
    path: '/recordings/:recording_id/text-tracks',
    tag,
    summary: 'Read the subtitles and captions of a recording',
    description: 'Asked of the provider at this moment. A provider that has no text tracks has none of a recording.',
    access: holders('read-recordings', members('read-recordings', 'recording', 'recording_id')),
    params,
    asksProvider: true,
    answer: enveloped(RecordingTextTracks),
    errors: ['provider-unavailable'],
  }),
};
