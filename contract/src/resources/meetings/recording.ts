import { type TSchema, Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, enveloped, holders, list, members } from '../../conventions/endpoint.ts';
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
  observed,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

/** The states of recordings in responses. Deleted recordings are not returned. */
export const recordingStates = ['processing', 'processed', 'published', 'unpublished'] as const;
export const recordingProblems = ['disk-full', 'disk-slow', 'disk-error'] as const;
export type RecordingProblem = (typeof recordingProblems)[number];
export type RecordingStateName = (typeof recordingStates)[number];

function withDescription<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const playback = object({
  type: text(50, { description: '`presentation`, `video`, `podcast`, `notes` and other formats of the provider.' }),
  length: withDescription(integer(), 'In minutes.'),
  url: text(2048, { description: 'Opens in a browser without a token, until `expires_at`.' }),
  expires_at: withDescription(instant(), 'When the link expires. Read the recording again for a new one.'),
});

export const Recording = resource('recording', {
  readPermission: 'read-recordings',
  fields: {
    ...identity('recording'),
    room_id: identifier('room'),
    meeting_id: nullable(identifier('meet', 'Null if the meeting is not known.')),
    customer_id: identifier('cust'),
    subscription_id: identifier('sub'),
    service_provider_id: derived(
      nullable(identifier('prov', 'The provider that stores it. Null for users, and after the provider was deleted.')),
    ),
    provider_recording_id: derived(nullable(text(256, { description: 'The id at the provider; null for users.' }))),
    name: text(150, { freeText: true }),
    state: oneOf(
      recordingStates,
      '`processing` and `processed`: cannot be watched yet. `unpublished`: kept, but cannot be watched.',
    ),
    published: boolean(),
    problem: nullable(
      oneOf(
        recordingProblems,
        'Why the recording ended before the broadcast did: the disk of the media server was full, too slow, or had an error. Null if it is complete.',
      ),
    ),
    changes_pending: boolean('Whether the provider has not applied a change yet; the platform tries again.'),
    started_at: nullable(instant()),
    ended_at: nullable(instant()),
    participants: nullable(integer()),
    size_bytes: nullable(
      withDescription(
        Type.Integer({ minimum: 0 }),
        'Counts against `max_storage`. Null while the provider reports no size; it then counts as 0.',
      ),
    ),
    size_estimated: boolean(
      'Whether the size is estimated from the length and `recording_kbps`, because the provider reports none.',
    ),
    playback: derived(withDescription(listOf(playback), 'Empty unless the recording is published.')),
    plays: observed(withDescription(integer(), 'How often a link to it was opened.')),
    last_played_at: observed(nullable(instant())),
    expires_at: nullable(
      withDescription(
        instant(),
        'When it will be deleted, by the feature `record_expiration` of its room; null if that is unlimited.',
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
      language: text(35, { description: 'Such as `pt-BR`.' }),
      label: text(200),
      source: nullable(text(50, { description: '`upload`, or the program that created it.' })),
      url: text(2048, { description: 'Returns the track as WebVTT without a token, until `expires_at`.' }),
      expires_at: instant(),
    }),
  ),
});

export const RecordingLink = object({
  object: derived(oneOf(['RecordingLink'])),
  recording_id: text(),
  type: text(),
  url: text(2048, { description: 'Opens in a browser without a token, until `expires_at`.' }),
  expires_at: instant(),
});

const tag = 'Recordings';
const params = { recording_id: 'rec' } as const;

const recordings = collection(Recording, { path: '/recordings', tag, elementParams: params });

export const recordingEndpoints = {
  listRecordings: endpoint({
    ...recordings.list,
    summary: 'List recordings',
    description:
      'Changes on a provider appear immediately if the provider reports them, otherwise within minutes. `search=state:processing` finds those that cannot be watched yet.',
    access: holders('read-recordings', members('read-recordings')),
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
    ...recordings.read,
    summary: 'Read a recording with links to watch it',
    description:
      'Each link in `playback` is signed, works for anyone without a token, and expires at its `expires_at` (setting `playback_link_minutes`). It works while the recording is published and the subscription of its room can be used.',
    access: holders('read-recordings', members('read-recordings', 'recording', 'recording_id')),
  }),
  updateRecording: endpoint({
    ...recordings.update,
    summary: 'Rename, publish or unpublish a recording',
    description:
      'Also changes it on the provider. If the provider does not respond, the change takes effect here immediately, `changes_pending` is true, and the platform tries again until the provider has applied it. If the recording cannot be watched yet, it is published or unpublished once it can. `recording_metadata` is replaced as a whole; the provider gets its texts, numbers and booleans.',
    access: holders('update-recordings', members('manage-recordings', 'recording', 'recording_id')),
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
  }),
  deleteRecording: endpoint({
    ...recordings.delete,
    summary: 'Delete a recording, also on its provider',
    description:
      'The recording and its links are deleted here immediately, and its storage is free again. If the provider does not respond, the platform tries again until it has deleted the recording.',
    access: holders('delete-recordings', members('manage-recordings', 'recording', 'recording_id')),
  }),
  createRecordingLink: endpoint({
    method: 'POST',
    path: '/recordings/:recording_id/links',
    tag,
    summary: 'Create a link to watch a recording, with an expiry of your choice',
    description:
      'Like the links in `playback`, but valid for `minutes`: from 1 to the setting `playback_link_minutes`, which is the default. Nothing is stored. The link stops working when it expires, or when the recording is unpublished or deleted.',
    access: holders('read-recordings', members('read-recordings', 'recording', 'recording_id')),
    params,
    body: object({
      type: text(50, { minLength: 1, description: 'One of the formats in `playback` of the recording.' }),
      minutes: optional(integer(1, 10_080)),
    }),
    answer: enveloped(RecordingLink),
  }),
  readRecordingTextTracks: endpoint({
    method: 'GET',
    path: '/recordings/:recording_id/text-tracks',
    tag,
    summary: 'List the subtitles and captions of a recording',
    description:
      'Read from the provider with each request. The list is empty if the provider does not support text tracks.',
    access: holders('read-recordings', members('read-recordings', 'recording', 'recording_id')),
    params,
    asksProvider: true,
    answer: enveloped(RecordingTextTracks),
    errors: ['provider-unavailable'],
  }),
};
