import { recordingEndpoints as endpoints } from '@foyer/contract/recording.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows } from '../../platform/http/call.ts';
import { requireRoom } from '../rooms/index.ts';
import { requireRecording } from './store.ts';
import { recordingView } from './transformer.ts';

export function recordingRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listRecordings, () => rows(recordingView)),
    route(endpoints.listRoomRecordings, async ({ params }) => {
      await requireRoom(db, params.room_id);
      return rows(recordingView, sql`recordings.room_id = ${params.room_id}`);
    }),
    route(endpoints.readRecording, async ({ params }) =>
      row(recordingView, await requireRecording(db, params.recording_id)),
    ),
  ];
}
