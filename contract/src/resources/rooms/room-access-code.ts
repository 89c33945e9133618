import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import {
  derived,
  identifier,
  instant,
  nullable,
  observed,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';
import { roomRoles } from './room.ts';

export const RoomAccessCode = resource('room_access_code', {
  readPermission: 'manage-rooms-access-codes',
  fields: {
    ...identity('room_access_code'),
    room_id: identifier('room'),
    code: derived(text(32)),
    role: oneOf(roomRoles),
    expires_at: nullable(instant()),
    last_usage: observed(nullable(instant())),
    ...timestamps(),
  },
  includes: { room: one('Room') },
});

const tag = 'Rooms';
const params = { room_id: 'room' } as const;
const codeParams = { room_id: 'room', code_id: 'rcode' } as const;
const managers = holders('manage-rooms-access-codes', members('manage-access-codes', 'room', 'room_id'));
const code = text(32, { minLength: 4, pattern: '^[A-Za-z0-9-]+$' });

const roomAccessCodes = collection(RoomAccessCode, {
  path: '/rooms/:room_id/access-codes',
  tag,
  params,
  elementParams: codeParams,
});

export const roomAccessCodeEndpoints = {
  listRoomAccessCodes: endpoint({
    ...roomAccessCodes.list,
    summary: 'List the access codes of a room',
    access: managers,
  }),
  createRoomAccessCode: endpoint({
    ...roomAccessCodes.create,
    summary: 'Create an access code for a role of a room',
    description:
      'If you send no `code`, one of eight characters is generated. Once a role has an access code, entering with that role needs one.',
    access: managers,
    body: object({
      role: oneOf(roomRoles),
      code: optional(code),
      expires_at: optional(nullable(instant())),
    }),
  }),
  readRoomAccessCode: endpoint({
    ...roomAccessCodes.read,
    summary: 'Read an access code of a room',
    access: managers,
  }),
  updateRoomAccessCode: endpoint({
    ...roomAccessCodes.update,
    summary: 'Change an access code of a room',
    access: managers,
    body: object({
      role: optional(oneOf(roomRoles)),
      code: optional(code),
      expires_at: optional(nullable(instant())),
    }),
  }),
  deleteRoomAccessCode: endpoint({
    ...roomAccessCodes.delete,
    summary: 'Delete an access code of a room',
    access: managers,
  }),
};
