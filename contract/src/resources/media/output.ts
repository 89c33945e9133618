import { Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import {
  boolean,
  identifier,
  instant,
  integer,
  metadata,
  nullable,
  object,
  oneOf,
  optional,
  text,
  derived,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

/** The platforms for outputs, with their address if it is the same for everyone. */
export const outputPlatforms = {
  youtube: 'rtmps://a.rtmps.youtube.com/live2',
  facebook: 'rtmps://live-api-s.facebook.com:443/rtmp',
  twitch: 'rtmps://ingest.global-contribute.live-video.net:443/app',
  linkedin: null,
  custom: null,
} as const;

export const outputPlatformNames = ['youtube', 'facebook', 'twitch', 'linkedin', 'custom'] as const;
export const outputStates = ['idle', 'connecting', 'live', 'reconnecting', 'failed'] as const;

const name = text(150, { minLength: 1, freeText: true });
const url = text(2048, {
  minLength: 1,
  description:
    'An `rtmp` or `rtmps` address, without user name and password. Optional for `youtube`, `facebook` and `twitch`.',
});
const streamKey = nullable(
  text(500, { description: 'The stream key of the platform. Printed masked; writing the mask back keeps it.' }),
);

export const Output = resource('output', {
  readPermission: 'read-rooms',
  fields: {
    ...identity('output'),
    room_id: identifier('room'),
    name,
    platform: oneOf(outputPlatformNames),
    url: { ...url, 'x-free-text': true },
    stream_key: derived(streamKey),
    enabled: boolean('Whether the stream is sent to this output while the room is live.'),
    state: oneOf(outputStates, '`reconnecting` and `failed`: `last_error` tells why; the media server tries again.'),
    since: { ...nullable(instant()), description: 'When the current state began.' },
    kbps: { ...integer(), description: 'Bit rate over the last seconds.' },
    bytes_sent: {
      ...Type.Integer({ minimum: 0 }),
      description: 'Bytes sent during the current session, or the last one.',
    },
    last_error: nullable(text(1000)),
    last_error_code: nullable(
      text(100, {
        description:
          'The kind of `last_error`, such as `target-refused`. The code is stable. The wording of `last_error` can change between releases.',
      }),
    ),
    output_metadata: metadata(),
    ...timestamps(),
  },
  includes: { room: one('Room') },
});

const tag = 'Outputs';
const params = { room_id: 'room' } as const;
const elementParams = { room_id: 'room', output_id: 'out' } as const;
const read = holders('read-rooms', members('read-room', 'room', 'room_id'));
const manage = holders('manage-rooms-outputs', members('manage-outputs', 'room', 'room_id'));
const options = {
  url: optional(nullable(url)),
  stream_key: optional(streamKey),
  enabled: optional(boolean()),
  output_metadata: optional(nullable(metadata())),
};

const outputs = collection(Output, { path: '/rooms/:room_id/outputs', tag, params, elementParams });

export const outputEndpoints = {
  listOutputs: endpoint({
    ...outputs.list,
    summary: 'List the outputs of a simulcast room',
    access: read,
  }),
  createOutput: endpoint({
    ...outputs.create,
    summary: 'Add an output to a simulcast room',
    description:
      'Counts against `max_outputs`. If the room is live, the stream is sent to the output within seconds, without interrupting other outputs.',
    access: manage,
    body: object({ name, platform: oneOf(outputPlatformNames), ...options }),
    errors: ['feature-limit-reached', 'not-a-simulcast-room', 'subscription-not-usable', 'customer-not-active'],
  }),
  readOutput: endpoint({
    ...outputs.read,
    summary: 'Read an output of a room',
    access: read,
  }),
  updateOutput: endpoint({
    ...outputs.update,
    summary: 'Change an output of a room',
    description:
      'Takes effect within seconds, even while the room is live. If `url` is null, the address of the platform is used.',
    access: manage,
    body: object({ name: optional(name), platform: optional(oneOf(outputPlatformNames)), ...options }),
    immutable: object({ room_id: optional(identifier('room')) }),
  }),
  deleteOutput: endpoint({
    ...outputs.delete,
    summary: 'Delete an output of a room',
    access: manage,
  }),
};
