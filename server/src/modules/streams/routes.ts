import { outputEndpoints } from '@foyer/contract/resources/media/output.ts';
import { streamEndpoints } from '@foyer/contract/resources/media/stream.ts';
import type { Dependencies } from '../../dependencies.ts';
import { nestedRoutes } from '../../nested-routes.ts';
import { type Route, route, row } from '../../platform/http/input/call.ts';
import { requireRoom } from '../rooms/index.ts';
import { revealStreamKey, rotateStreamKey } from './change-stream-key.ts';
import { endStream } from './end-stream.ts';
import { createOutput } from './outputs/create-output.ts';
import { deleteOutput } from './outputs/delete-output.ts';
import { requireOutput } from './outputs/output-store.ts';
import { updateOutput } from './outputs/update-output.ts';
import { readStream } from './require-stream.ts';
import { outputView, streamView } from './transformer.ts';
import { updateStream } from './update-stream.ts';

export function streamRoutes(dependencies: Dependencies): Route[] {
  return [
    route(streamEndpoints.readStream, async ({ params }) =>
      row(streamView, await readStream(dependencies, params.room_id)),
    ),
    route(streamEndpoints.updateStream, async (call) => row(streamView, await updateStream(dependencies, call))),
    route(streamEndpoints.revealStreamKey, async ({ actor, params, reply }) => {
      reply.header('cache-control', 'no-store');
      return row(streamView, await revealStreamKey(dependencies, actor, params.room_id));
    }),
    route(streamEndpoints.rotateStreamKey, async ({ actor, params, reply }) => {
      reply.header('cache-control', 'no-store');
      return row(streamView, await rotateStreamKey(dependencies, actor, params.room_id));
    }),
    route(streamEndpoints.endStream, async ({ actor, params }) =>
      row(streamView, await endStream(dependencies, actor, params.room_id)),
    ),
    ...nestedRoutes(dependencies, {
      parent: { column: 'room_id', require: requireRoom },
      view: outputView,
      require: requireOutput,
      list: outputEndpoints.listOutputs,
      read: outputEndpoints.readOutput,
      create: [outputEndpoints.createOutput, createOutput],
      update: [outputEndpoints.updateOutput, updateOutput],
      delete: [outputEndpoints.deleteOutput, deleteOutput],
    }),
  ];
}
