import { meetingEndpoints as endpoints } from '@foyer/contract/resources/meetings/meeting.ts';
import { roomEndpoints } from '@foyer/contract/resources/rooms/room.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, value } from '../../platform/http/input/call.ts';
import { requireRoom } from '../rooms/index.ts';
import { requireServiceProvider } from '../service-providers/index.ts';
import { endOnRequest } from './ending/end-on-request.ts';
import { readRoomStatus } from './room-status.ts';
import { isMeeting, requireMeeting, requirePrintedMeeting } from './store.ts';
import { meetingView, participantView } from './transformer.ts';

export function meetingRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(roomEndpoints.readRoomStatus, async ({ params, reader }) => {
      const status = await readRoomStatus(dependencies, params.room_id);
      // Customers of a reseller must not see the reseller's providers.
      return value(reader.userId === null ? status : { ...status, provider: null });
    }),
    route(endpoints.listMeetings, () => rows(meetingView, isMeeting)),
    route(endpoints.listRoomMeetings, async ({ params }) => {
      await requireRoom(db, params.room_id);
      return rows(meetingView, sql`meetings.room_id = ${params.room_id} and ${isMeeting}`);
    }),
    route(endpoints.listServiceProviderMeetings, async ({ params }) => {
      await requireServiceProvider(db, params.service_provider_id);
      return rows(meetingView, sql`meetings.service_provider_id = ${params.service_provider_id}`);
    }),
    route(endpoints.readMeeting, async ({ params }) =>
      row(meetingView, await requirePrintedMeeting(db, params.meeting_id)),
    ),
    route(endpoints.listMeetingParticipants, async ({ params }) => {
      await requireMeeting(db, params.meeting_id);
      return rows(participantView, sql`room_entries.meeting_id = ${params.meeting_id}`);
    }),
    route(endpoints.endMeeting, async ({ actor, params }) => {
      const { id } = await endOnRequest(dependencies, actor, params.meeting_id);
      return row(meetingView, await requirePrintedMeeting(db, id));
    }),
  ];
}
