import { meetingEndpoints as endpoints } from '@foyer/contract/resources/meetings/meeting.ts';
import { roomEndpoints } from '@foyer/contract/resources/rooms/room.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { nestedListRoute } from '../../nested-routes.ts';
import { type Route, route, row, rows, value, rowRoute } from '../../platform/http/input/call.ts';
import { requireRoom } from '../rooms/index.ts';
import { requireServiceProvider } from '../service-providers/index.ts';
import { endOnRequest } from './ending/end-on-request.ts';
import { isTrue } from '../../platform/list-query/list-request.ts';
import { readRoomStatus } from './room-status.ts';
import { isMeeting, requireMeeting, requirePrintedMeeting } from './store.ts';
import { meetingView, participantView } from './transformer.ts';

export function meetingRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(roomEndpoints.readRoomStatus, async ({ params, query, reader }) => {
      const status = await readRoomStatus(dependencies, params.room_id, isTrue(query['skipCache']));
      // Customers of a reseller must not see the reseller's providers.
      return value(reader.userId === null ? status : { ...status, provider: null });
    }),
    route(endpoints.listMeetings, () => rows(meetingView, isMeeting)),
    route(endpoints.listRoomMeetings, async ({ params }) => {
      await requireRoom(db, params.room_id);
      return rows(meetingView, sql`meetings.room_id = ${params.room_id} and ${isMeeting}`);
    }),
    nestedListRoute(dependencies, endpoints.listServiceProviderMeetings, meetingView, {
      column: 'service_provider_id',
      require: requireServiceProvider,
    }),
    rowRoute(endpoints.readMeeting, meetingView, ({ params }) => requirePrintedMeeting(db, params.meeting_id)),
    nestedListRoute(dependencies, endpoints.listMeetingParticipants, participantView, {
      column: 'meeting_id',
      require: requireMeeting,
    }),
    route(endpoints.endMeeting, async ({ actor, params }) => {
      const { id } = await endOnRequest(dependencies, actor, params.meeting_id);
      return row(meetingView, await requirePrintedMeeting(db, id));
    }),
  ];
}
