import { roomAccessCodeEndpoints as codeEndpoints } from '@foyer/contract/resources/rooms/room-access-code.ts';
import { roomEndpoints as endpoints } from '@foyer/contract/resources/rooms/room.ts';
import {
  roomTokenBatchEndpoints as batchEndpoints,
  roomTokenEndpoints as tokenEndpoints,
} from '@foyer/contract/resources/rooms/room-token.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { nestedRoutes } from '../../nested-routes.ts';
import { invalidInput } from '../../platform/failures.ts';
import { type Route, route, row, rows, stream, value, actionRoute } from '../../platform/http/input/call.ts';
import { csvAnswer, prefersCsv } from '../../platform/http/answer/csv.ts';
import { printUlid } from '../../platform/identity/identifier.ts';
import { createRoom } from './create-room.ts';
import { deleteRoom } from './delete-room.ts';
import { createAccessCode, deleteAccessCode, updateAccessCode } from './access-codes/room-access-codes.ts';
import { featuresOfRoom } from './room-features.ts';
import { refuseHiddenToken } from './tokens/moderator-tokens.ts';
import { createRoomToken, deleteRoomToken, updateRoomToken } from './tokens/room-tokens.ts';
import { requireAccessCode, requireRoom } from './store.ts';
import { requireTokenBatch } from './tokens/token-batch-store.ts';
import { createTokenBatch, deleteTokenBatch } from './tokens/token-batches.ts';
import { printTokens } from './tokens/token-csv.ts';
import { requireRoomToken } from './tokens/token-store.ts';
import { batchTokenView, roomAccessCodeView, roomTokenBatchView, roomTokenView, roomView } from './transformer.ts';
import { transferRoom } from './transfer-room.ts';
import { updateRoom } from './update-room.ts';

export function roomRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listRooms, () => rows(roomView)),
    route(endpoints.createRoom, async ({ actor, body }) => row(roomView, await createRoom(dependencies, actor, body))),
    route(endpoints.readRoom, async ({ params }) => row(roomView, await requireRoom(db, params.room_id))),
    route(endpoints.updateRoom, async (call) => row(roomView, await updateRoom(dependencies, call))),
    route(endpoints.transferRoom, async (call) => row(roomView, await transferRoom(dependencies, call))),
    actionRoute(endpoints.deleteRoom, ({ actor, params }) => deleteRoom(dependencies, actor, params.room_id)),
    route(endpoints.readRoomFeatures, async ({ params }) => {
      const room = await requireRoom(db, params.room_id);
      return value({ data: await featuresOfRoom(db, room), meta: { include: [], custom: [] } });
    }),
    ...tokenRoutes(dependencies),
    ...batchRoutes(dependencies),
    ...nestedRoutes(dependencies, {
      parent: { column: 'room_id', require: requireRoom },
      view: roomAccessCodeView,
      require: requireAccessCode,
      list: codeEndpoints.listRoomAccessCodes,
      read: codeEndpoints.readRoomAccessCode,
      create: [codeEndpoints.createRoomAccessCode, createAccessCode],
      update: [codeEndpoints.updateRoomAccessCode, updateAccessCode],
      delete: [codeEndpoints.deleteRoomAccessCode, deleteAccessCode],
    }),
  ];
}

function tokenRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(tokenEndpoints.listRoomTokens, async ({ params }) => {
      await requireRoom(db, params.room_id);
      return rows(roomTokenView, sql`room_tokens.room_id = ${params.room_id}`);
    }),
    route(tokenEndpoints.createRoomToken, async ({ actor, params, body }) =>
      row(roomTokenView, await createRoomToken(dependencies, actor, params.room_id, body)),
    ),
    route(tokenEndpoints.readRoomToken, async ({ params, reader }) => {
      const token = await requireRoomToken(db, params.room_id, params.token_id);
      await refuseHiddenToken(db, reader.userId, token);
      return row(roomTokenView, token);
    }),
    route(tokenEndpoints.updateRoomToken, async (call) =>
      row(roomTokenView, await updateRoomToken(dependencies, call)),
    ),
    actionRoute(tokenEndpoints.deleteRoomToken, ({ actor, params }) =>
      deleteRoomToken(dependencies, actor, params.room_id, params.token_id),
    ),
  ];
}

function batchRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(batchEndpoints.createRoomTokenBatch, async (call) =>
      row(roomTokenBatchView, await createTokenBatch(dependencies, call)),
    ),
    route(batchEndpoints.listRoomTokenBatches, async ({ params }) => {
      await requireRoom(db, params.room_id);
      return rows(roomTokenBatchView, sql`room_token_batches.room_id = ${params.room_id}`);
    }),
    route(batchEndpoints.readRoomTokenBatch, async ({ params }) =>
      row(roomTokenBatchView, await requireTokenBatch(db, params.room_id, params.batch_id)),
    ),
    actionRoute(batchEndpoints.deleteRoomTokenBatch, ({ actor, params }) =>
      deleteTokenBatch(dependencies, actor, params.room_id, params.batch_id),
    ),
    route(batchEndpoints.listRoomTokenBatchTokens, async ({ params, query, reader, request, reply }) => {
      const batch = await requireTokenBatch(db, params.room_id, params.batch_id);
      reply.header('vary', [reply.getHeader('vary'), 'Accept'].filter((name) => name !== undefined).join(', '));
      const { format } = query;
      if (format !== undefined && format !== 'json' && format !== 'csv')
        throw invalidInput({ format: ['The selected format is invalid. It must be one of: json, csv.'] });
      if (format === 'json' || (format === undefined && !prefersCsv(request)))
        return rows(batchTokenView, sql`room_tokens.batch_id = ${batch.id}`);
      const room = await requireRoom(db, params.room_id);
      return stream(csvAnswer, `tokens-${printUlid(batch.id)}.csv`, printTokens(dependencies, room, batch.id, reader));
    }),
  ];
}
