import { Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, list, members } from '../../conventions/endpoint.ts';
import {
  derived,
  identifier,
  instant,
  integer,
  listOf,
  nullable,
  object,
  observed,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';
import { roomRoles } from './room.ts';

export const RoomToken = resource('room_token', {
  readPermission: 'manage-rooms-tokens',
  fields: {
    ...identity('room_token'),
    room_id: identifier('room'),
    token: derived(text(100)),
    role: oneOf(roomRoles),
    name: nullable(text(150, { freeText: true })),
    email: nullable(text(254, { freeText: true, description: 'The address of the invitation that created it.' })),
    url: derived(text(2048)),
    not_before: nullable(instant()),
    expires_at: nullable(instant()),
    max_uses: nullable(integer(1)),
    uses: observed(integer()),
    user_id: nullable(
      identifier('user', 'The only user who can use it, signed in on the page of the room or with an access token.'),
    ),
    batch_id: nullable(identifier('rtbatch', 'The batch that created it.')),
    batch_row: nullable(integer()),
    last_usage: observed(nullable(instant())),
    ...timestamps(),
  },
  includes: { room: one('Room'), user: one('User') },
});

/** A batch of tokens with its progress. */
export const RoomTokenBatch = resource('room_token_batch', {
  readPermission: 'manage-rooms-tokens',
  fields: {
    ...identity('room_token_batch'),
    room_id: identifier('room'),
    name: nullable(text(150, { freeText: true })),
    status: oneOf(['waiting', 'running', 'done'], '`done` once every row has resulted in a token or a failure.'),
    total: integer(),
    made: integer(),
    failed: integer(),
    progress: derived(integer(0, 100)),
    failures: derived(listOf(object({ row: integer(), message: text(500) }))),
    finished_at: nullable(instant()),
    ...timestamps(),
  },
  includes: { room: one('Room') },
});

export const maxTokensOfBatch = 10_000;

const tag = 'Rooms';
const params = { room_id: 'room' } as const;
const tokenParams = { room_id: 'room', token_id: 'rtok' } as const;
const access = holders('manage-rooms-tokens', members('manage-tokens', 'room', 'room_id'));

const options = {
  name: optional(nullable(text())),
  not_before: optional(nullable(instant())),
  expires_at: optional(nullable(instant())),
  max_uses: optional(nullable(integer(1))),
  user_id: optional(nullable(identifier('user'))),
};
const tokenDescription =
  'The token is valid from `not_before` until `expires_at`, for at most `max_uses` entries; entering again counts as another use. With `user_id` it is personal: only that user can use it, signed in on the page of the room with email and password, or with an access token. Users can only name users of their own customer. A user without the right `moderate` on the room cannot create or see tokens with the role `moderator`: lists, batches and includes leave them out, and reading, changing or deleting one is a 404.';

const roomTokens = collection(RoomToken, { path: '/rooms/:room_id/tokens', tag, params, elementParams: tokenParams });

export const roomTokenEndpoints = {
  listRoomTokens: endpoint({
    ...roomTokens.list,
    summary: 'List the tokens of a room',
    access,
  }),
  createRoomToken: endpoint({
    ...roomTokens.create,
    summary: 'Create a token for a room',
    description: tokenDescription,
    access,
    body: object({ role: oneOf(roomRoles), ...options }),
    errors: ['privilege-escalation'],
  }),
  readRoomToken: endpoint({
    ...roomTokens.read,
    summary: 'Read a token of a room',
    access,
  }),
  updateRoomToken: endpoint({
    ...roomTokens.update,
    summary: 'Change a token of a room',
    access,
    body: object({ role: optional(oneOf(roomRoles)), ...options }),
    immutable: object({ token: optional(text()), url: optional(text(2048)) }),
    errors: ['privilege-escalation'],
  }),
  deleteRoomToken: endpoint({
    ...roomTokens.delete,
    summary: 'Delete a token of a room',
    access,
  }),
};

/** One token of a batch; its members are the columns of the CSV. */
export const batchRow = object({
  role: oneOf(roomRoles),
  ...options,
  email: optional(
    nullable(text(254, { description: 'The email of the user, instead of `user_id`; not case-sensitive.' })),
  ),
});

const batchParams = { room_id: 'room', batch_id: 'rtbatch' } as const;

const roomTokenBatches = collection(RoomTokenBatch, {
  path: '/rooms/:room_id/token-batches',
  tag,
  params,
  elementParams: batchParams,
});

export const roomTokenBatchEndpoints = {
  createRoomTokenBatch: endpoint({
    ...roomTokenBatches.create,
    summary: 'Create many tokens for a room at once',
    description: `Up to ${maxTokensOfBatch.toLocaleString('en')} tokens. Send them in \`tokens\`, each like a single token, with \`user_id\` or the \`email\` of a user; or as CSV, in \`csv\` or as the whole body (\`Content-Type: text/csv\`). The first line of the CSV names the columns \`role\` (required), \`name\`, \`not_before\`, \`expires_at\`, \`max_uses\`, \`user_id\` and \`email\` in any order; cells are separated by commas, semicolons or tabs. Every row is checked before any token is created; the first 100 faults are listed by row and member, as in \`tokens.17.role\`, with rows counted from 0. The tokens are then created in the background; the batch shows the progress. Bodies can have up to 8 MiB.`,
    access,
    bodyLimit: 8_388_608,
    csvMember: 'csv',
    body: object({
      name: optional(nullable(text())),
      tokens: optional(listOf(batchRow, maxTokensOfBatch)),
      csv: optional(Type.String({ 'x-verbatim': true, 'x-multiline': true })),
    }),
    errors: ['privilege-escalation'],
  }),
  listRoomTokenBatches: endpoint({
    ...roomTokenBatches.list,
    summary: 'List the batches of tokens of a room',
    access,
  }),
  readRoomTokenBatch: endpoint({
    ...roomTokenBatches.read,
    summary: 'Read the progress of a batch of tokens',
    access,
  }),
  deleteRoomTokenBatch: endpoint({
    ...roomTokenBatches.delete,
    summary: 'Delete a batch and its tokens',
    description: 'A running batch stops and creates no further tokens.',
    access,
    errors: ['privilege-escalation'],
  }),
  listRoomTokenBatchTokens: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/token-batches/:batch_id/tokens',
    tag,
    summary: 'List the tokens of a batch in the order of its rows',
    description:
      'CSV (`Accept: text/csv` or `format=csv`) has all tokens with their links, ready to be mailed; a cell that a spreadsheet would read as a formula begins with an apostrophe.',
    access,
    csv: true,
    params: batchParams,
    query: object({
      format: optional(oneOf(['json', 'csv'], 'Instead of the header `Accept` (`application/json`, `text/csv`).')),
    }),
    answer: list(RoomToken),
  }),
};
