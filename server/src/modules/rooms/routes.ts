import { roomAccessCodeEndpoints as codeEndpoints } from '@foyer/contract/resources/rooms/room-access-code.ts';
import { roomEndpoints as endpoints } from '@foyer/contract/resources/rooms/room.ts';
import {
  roomTokenBatchEndpoints as batchEndpoints,
  roomTokenEndpoints as tokenEndpoints,
} from '@foyer/contract/resources/rooms/room-token.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { nestedListRoute, nestedRoutes } from '../../nested-routes.ts';
import { invalidInput } from '../../platform/failures.ts';
import { type Route, route, row, rows, stream, value, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
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

const parent = { column: 'room_id', require: requireRoom };

export function roomRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listRooms, () => rows(roomView)),
    rowRoute(endpoints.createRoom, roomView, ({ actor, body }) => createRoom(dependencies, actor, body)),
    rowRoute(endpoints.readRoom, roomView, ({ params }) => requireRoom(db, params.room_id)),
    rowRoute(endpoints.updateRoom, roomView, (call) => updateRoom(dependencies, call)),
    rowRoute(endpoints.transferRoom, roomView, (call) => transferRoom(dependencies, call)),
    actionRoute(endpoints.deleteRoom, ({ actor, params }) => deleteRoom(dependencies, actor, params.room_id)),
    route(endpoints.readRoomFeatures, async ({ params }) => {
      const room = await requireRoom(db, params.room_id);
      return value({ data: await featuresOfRoom(db, room), meta: { include: [], custom: [] } });
    }),
    ...tokenRoutes(dependencies),
    ...batchRoutes(dependencies),
    ...nestedRoutes(dependencies, {
      parent,
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
    nestedListRoute(dependencies, tokenEndpoints.listRoomTokens, roomTokenView, parent),
    rowRoute(tokenEndpoints.createRoomToken, roomTokenView, ({ actor, params, body }) =>
      createRoomToken(dependencies, actor, params.room_id, body),
    ),
    route(tokenEndpoints.readRoomToken, async ({ params, reader }) => {
      const token = await requireRoomToken(db, params.room_id, params.token_id);
      await refuseHiddenToken(db, reader.userId, token);
      return row(roomTokenView, token);
    }),
    rowRoute(tokenEndpoints.updateRoomToken, roomTokenView, (call) => updateRoomToken(dependencies, call)),
    actionRoute(tokenEndpoints.deleteRoomToken, ({ actor, params }) =>
      deleteRoomToken(dependencies, actor, params.room_id, params.token_id),
    ),
  ];
}

function batchRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    rowRoute(batchEndpoints.createRoomTokenBatch, roomTokenBatchView, (call) => createTokenBatch(dependencies, call)),
    nestedListRoute(dependencies, batchEndpoints.listRoomTokenBatches, roomTokenBatchView, parent),
    rowRoute(batchEndpoints.readRoomTokenBatch, roomTokenBatchView, ({ params }) =>
      requireTokenBatch(db, params.room_id, params.batch_id),
    ),
    actionRoute(batchEndpoints.deleteRoomTokenBatch, (call) => deleteTokenBatch(dependencies, call)),
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
