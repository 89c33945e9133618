import { roomEndpoints } from '@foyer/contract/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, value } from '../../platform/http/call.ts';
import { readRoomStatus } from './room-status.ts';

export function meetingRoutes(dependencies: Dependencies): Route[] {
  return [
    route(roomEndpoints.readRoomStatus, async ({ params, reader }) => {
      const status = await readRoomStatus(dependencies, params.room_id);
      // Who supplies the reseller is not its customers' business.
      return value(reader.userId === null ? status : { ...status, provider: null });
    }),
  ];
}
