import { Type } from 'typebox';
import { endpoint, holders, members, single } from '../../conventions/endpoint.ts';
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
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

export const streamStates = ['idle', 'live', 'reconnecting'] as const;
export const latencyModes = ['normal', 'low'] as const;

const ingest = object({
  rtmp_url: nullable(
    text(2048, {
      description: 'The server to enter in OBS. Null while no media server of the subscription responds.',
    }),
  ),
  stream_key: text(100, { description: 'Masked, except in responses that reveal or rotate it.' }),
  whip_url: nullable(text(2048, { description: 'For WHIP; the stream key is the bearer token.' })),
});

const input = object({
  width: nullable(integer()),
  height: nullable(integer()),
  fps: nullable(Type.Number({ minimum: 0 })),
  video_kbps: nullable(integer()),
  audio_kbps: nullable(integer()),
  keyframe_seconds: nullable(Type.Number({ minimum: 0 })),
  warnings: listOf(object({ code: text(100), message: text(1000) })),
});

const sourceUrl = text(2048, {
  minLength: 1,
  description:
    'An `rtmp`, `rtmps`, `srt`, `rtsp` or `https` (HLS) address. Passwords in the address are masked in responses.',
});
const source = object(
  { url: sourceUrl },
  {
    description: 'The address from which the media server fetches the stream, instead of receiving it from an encoder.',
  },
);

export const Stream = resource('stream', {
  readPermission: 'read-rooms',
  fields: {
    ...identity('stream'),
    room_id: identifier('room'),
    state: oneOf(
      streamStates,
      '`reconnecting`: the encoder has disconnected, and has 30 seconds to return to the same session.',
    ),
    ingest: derived(ingest),
    playback: derived(object({ url: text(2048, { description: 'The page of the room, where viewers watch.' }) })),
    started_at: nullable(instant()),
    viewers: integer(),
    input: derived({ ...nullable(input), description: 'The signal from the encoder; null while there is none.' }),
    record: boolean('Whether sessions are recorded, if the subscription has `recording`.'),
    latency_mode: oneOf(latencyModes, '`low` takes effect if the subscription has `low_latency`.'),
    source: derived(nullable(source)),
    source_error: nullable(
      text(1000, {
        description: 'Why the media server cannot fetch the `source`. It tries again; null once it succeeds.',
      }),
    ),
    source_error_code: nullable(
      text(100, {
        description:
          'The kind of `source_error`, such as `connection-refused`. The code is stable. The wording of `source_error` can change between releases.',
      }),
    ),
    ...timestamps(),
  },
  includes: { room: one('Room') },
});

const tag = 'Streams';
const path = '/rooms/:room_id/stream';
const params = { room_id: 'room' } as const;
const manage = holders('manage-rooms-streams', members('manage-stream', 'room', 'room_id'));

export const streamEndpoints = {
  readStream: endpoint({
    method: 'GET',
    path,
    tag,
    summary: 'Read the stream of a live or simulcast room',
    description: 'The first read creates the stream.',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
    params,
    answer: single(Stream),
    asksProvider: true,
    errors: ['not-a-live-room'],
  }),
  updateStream: endpoint({
    method: 'PATCH',
    path,
    tag,
    summary: 'Change the stream of a room',
    description:
      'A new `source` is fetched immediately; null stops it. `record` and `latency_mode` take effect with the next session.',
    access: manage,
    params,
    body: object({
      record: optional(boolean()),
      latency_mode: optional(oneOf(latencyModes)),
      source: optional(nullable(source)),
    }),
    answer: single(Stream),
    errors: ['not-a-live-room'],
  }),
  revealStreamKey: endpoint({
    method: 'POST',
    path: `${path}/reveal-key`,
    tag,
    summary: 'Read the stream key of a room',
    description: 'The response is the stream with its key. Anyone who has the key can broadcast in the room.',
    access: manage,
    params,
    answer: single(Stream),
    errors: ['not-a-live-room'],
  }),
  rotateStreamKey: endpoint({
    method: 'POST',
    path: `${path}/rotate-key`,
    tag,
    summary: 'Give the stream of a room a new key',
    description:
      'The response is the stream with its new key. The old key stops working immediately, and a session that uses it ends.',
    access: manage,
    params,
    answer: single(Stream),
    errors: ['not-a-live-room'],
  }),
  endStream: endpoint({
    method: 'POST',
    path: `${path}/end`,
    tag,
    summary: 'End the running session of a stream',
    description:
      'The encoder is disconnected and playback ends within seconds. If the room is not live, nothing changes. A `source` is fetched again immediately; set it to null to stop it.',
    access: manage,
    params,
    answer: single(Stream),
    errors: ['not-a-live-room'],
  }),
};
