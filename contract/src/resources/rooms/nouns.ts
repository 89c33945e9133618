import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  room: {
    object: 'Room',
    prefix: 'room',
    permissions: {
      rooms: {
        read: [],
        create: ['read-accounts', 'read-subscriptions'],
        update: [],
        delete: [],
        join: [],
      },
    },
    events: {
      ...crudEvents('room'),
      owner_changed: 'The owner of a room was changed.',
      transferred: 'A room moved to another account.',
    },
  },
  room_token: {
    object: 'RoomToken',
    prefix: 'rtok',
    permissions: { 'rooms-tokens': { manage: ['read-rooms'] } },
    events: crudEvents('room token'),
  },
  room_token_batch: {
    object: 'RoomTokenBatch',
    prefix: 'rtbatch',
    events: {
      created: 'A batch of room tokens was requested.',
      done: 'All tokens of a batch were created.',
      deleted: 'A batch of room tokens was deleted, with its tokens.',
    },
  },
  room_access_code: {
    object: 'RoomAccessCode',
    prefix: 'rcode',
    permissions: { 'rooms-access-codes': { manage: ['read-rooms'] } },
    events: crudEvents('access code of a room', 'An'),
  },
  room_user: {
    object: 'RoomUser',
    prefix: 'ruser',
    permissions: { 'rooms-users': { manage: ['read-rooms'] } },
    events: crudEvents('membership in a room'),
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Rooms: 'Rooms belong to accounts. Participants enter them with room tokens and access codes.',
  'Room entry': 'Access to rooms: who may enter, in which role, and the reasons for a refusal.',
};
