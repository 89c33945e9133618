import { collection } from '../../conventions/collection.ts';
import { bare, endpoint, enveloped, holders, members, single } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  identifier,
  instant,
  integer,
  listOf,
  map,
  metadata,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { roomTypes } from '../providers/provider-types.ts';
import { identity, many, one, resource, timestamps } from '../../conventions/resource.ts';

export const roomRoles = ['moderator', 'attendee', 'guest'] as const;
export type RoomRole = (typeof roomRoles)[number];

export const Room = resource('room', {
  readPermission: 'read-rooms',
  fields: {
    ...identity('room'),
    customer_id: identifier('cust'),
    account_id: identifier('acct'),
    subscription_id: identifier('sub'),
    room_name: text(150, { freeText: true }),
    status: oneOf(['active', 'inactive']),
    is_public: boolean(),
    room_type: oneOf(roomTypes),
    slug: text(150, { freeText: true }),
    url: derived(text(2048)),
    room_features: map(),
    room_settings: map(),
    room_metadata: metadata(),
    ...timestamps(),
  },
  includes: {
    tokens: many('RoomToken'),
    access_codes: many('RoomAccessCode'),
    customer: one('Customer'),
    account: one('Account'),
    subscription: one('ServicePackageSubscription'),
    owner: one('User'),
    users: many('User'),
    recordings: many('Recording'),
    videos: many('Video'),
  },
});

export const RoomFeature = object({
  tag: text(),
  subscription: nullable(text()),
  room: nullable(text()),
  used: nullable(text()),
  source: oneOf(
    ['package', 'subscription', 'room', 'default'],
    'Where the effective value comes from. `room`: the features of the room. `subscription`: a value that was changed in the subscription. `package`: the package of the subscription. `default`: neither package nor subscription has the feature.',
  ),
});

export const RoomStatus = object({
  object: derived(oneOf(['RoomStatus'])),
  room_id: text(),
  status: oneOf(['active', 'inactive', 'unknown'], '`unknown` when the provider does not respond.'),
  running: nullable(boolean()),
  participant_count: nullable(integer()),
  moderator_count: nullable(integer()),
  guest_count: nullable(integer()),
  listener_count: nullable(integer()),
  voice_participant_count: nullable(integer()),
  video_count: nullable(integer()),
  recording: nullable(boolean()),
  started_at: nullable(instant()),
  provider: nullable(object({ id: text(), name: text(), type: text() })),
});

const tag = 'Rooms';
const params = { room_id: 'room' } as const;
const roomName = text(150, { minLength: 1 });
const writable = {
  status: optional(oneOf(['active', 'inactive'])),
  is_public: optional(boolean()),
  slug: optional(text(150)),
  room_features: optional(nullable(map())),
  room_settings: optional(nullable(map())),
  room_metadata: optional(nullable(metadata())),
};

const rooms = collection(Room, { path: '/rooms', tag, elementParams: params });

export const roomEndpoints = {
  listRooms: endpoint({
    ...rooms.list,
    summary: 'List rooms',
    access: holders('read-rooms', members('read-room')),
  }),
  createRoom: endpoint({
    ...rooms.create,
    summary: 'Create a room in an account',
    description: 'Customer, subscription and type are those of the account. Counts against `max_rooms`.',
    access: holders('create-rooms', members('create-room', 'account', 'account_id')),
    body: object({
      room_name: roomName,
      account_id: identifier('acct'),
      customer_id: optional(identifier('cust')),
      subscription_id: optional(identifier('sub')),
      room_type: optional(oneOf(roomTypes)),
      ...writable,
    }),
    errors: ['feature-limit-reached', 'subscription-not-usable', 'customer-not-active', 'account-not-active'],
  }),
  readRoom: endpoint({
    ...rooms.read,
    summary: 'Read a room',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
  }),
  updateRoom: endpoint({
    ...rooms.update,
    summary: 'Change a room',
    access: holders('update-rooms', members('update-room', 'room', 'room_id')),
    body: object({ room_name: optional(roomName), ...writable }),
    immutable: object({
      account_id: optional(identifier('acct')),
      customer_id: optional(identifier('cust')),
      subscription_id: optional(identifier('sub')),
      room_type: optional(oneOf(roomTypes)),
      url: optional(text(2048)),
    }),
    errors: ['customer-not-active'],
  }),
  transferRoom: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/transfer',
    tag,
    summary: 'Move a room to another account of its subscription',
    description:
      'Users, tokens, access codes, settings and address stay the same, and a running meeting continues. Reports count all its usage in the new account. Users need `delete-room` in the current account and `create-room` in the new one.',
    access: holders('update-rooms', members('delete-room', 'room', 'room_id')),
    params,
    body: object({ account_id: identifier('acct') }),
    answer: single(Room),
    errors: ['account-not-active'],
  }),
  deleteRoom: endpoint({
    ...rooms.delete,
    summary: 'Delete a room with its tokens and access codes',
    access: holders('delete-rooms', members('delete-room', 'room', 'room_id')),
  }),
  readRoomFeatures: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/features',
    tag,
    summary: 'Read the effective features of a room',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
    params,
    answer: bare(
      object({
        data: listOf(RoomFeature),
        meta: object({ include: listOf(text()), custom: listOf(text()) }),
      }),
    ),
  }),
  readRoomStatus: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/status',
    tag,
    summary: 'Read the live state of a room from its provider',
    description:
      'Read from the provider of the open meeting; if no meeting is open, from a provider of the subscription. `unknown` if no provider responds.',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
    params,
    answer: enveloped(RoomStatus),
  }),
};
