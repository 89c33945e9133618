import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  video: {
    object: 'Video',
    prefix: 'video',
    permissions: { 'rooms-videos': { manage: ['read-rooms'] } },
    events: {
      ...crudEvents('video'),
      ready: 'A video was processed, and all its renditions can be watched.',
      failed: 'A video could not be processed; `failure` tells why.',
    },
  },
  stream: {
    object: 'Stream',
    prefix: 'stream',
    permissions: { 'rooms-streams': { manage: ['read-rooms'] } },
    events: {
      created: 'A stream was created for a live or simulcast room, when it was needed for the first time.',
      started: 'A room went live.',
      ended: 'A room is no longer live; `reason` tells why.',
      updated: 'A stream was changed, or its encoder disconnected or reconnected.',
      end_requested: 'A request was made to end the running session of a stream.',
      key_revealed: 'The key of a stream was read.',
      key_rotated: 'The key of a stream was rotated.',
      deleted: 'A stream was deleted with its room.',
    },
  },
  output: {
    object: 'Output',
    prefix: 'out',
    permissions: { 'rooms-outputs': { manage: ['read-rooms'] } },
    events: {
      ...crudEvents('output of a simulcast room', 'An'),
      failed: 'The stream cannot be sent to an output. The media server tries again.',
      recovered: 'The stream is sent to an output again after a failure.',
    },
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Videos: 'Videos of rooms of the type `video`, and their files.',
};
