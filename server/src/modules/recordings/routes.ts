import { recordingEndpoints as endpoints } from '@foyer/contract/resources/meetings/recording.ts';
import type { Dependencies } from '../../dependencies.ts';
import { nestedListRoute } from '../../nested-routes.ts';
import { type Route, route, rows, value, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { requireRoom } from '../rooms/index.ts';
import { deleteRecording } from './delete-recordings.ts';
import { signPlaybackLink, signLinkToFormat } from './watch/sign-playback-link.ts';
import { textTrackPath } from './watch/playback-path.ts';
import { requireRecording } from './store.ts';
import { readTextTracks } from './watch/text-tracks.ts';
import { recordingView } from './transformer.ts';
import { updateRecording } from './update-recording.ts';

export function recordingRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listRecordings, () => rows(recordingView)),
    nestedListRoute(dependencies, endpoints.listRoomRecordings, recordingView, {
      column: 'room_id',
      require: requireRoom,
    }),
    rowRoute(endpoints.readRecording, recordingView, ({ params }) => requireRecording(db, params.recording_id)),
    rowRoute(endpoints.updateRecording, recordingView, (call) => updateRecording(dependencies, call)),
    actionRoute(endpoints.deleteRecording, ({ actor, params }) =>
      deleteRecording(dependencies, actor, params.recording_id),
    ),
    route(endpoints.createRecordingLink, async ({ params, body }) => {
      const recording = await requireRecording(db, params.recording_id);
      return value({
        object: 'RecordingLink',
        recording_id: printIdentifier('rec', recording.id),
        ...signLinkToFormat(dependencies, recording, body),
      });
    }),
    route(endpoints.readRecordingTextTracks, async ({ params }) => {
      const recording = await requireRecording(db, params.recording_id);
      const tracks = await readTextTracks(dependencies, recording);
      return value({
        object: 'RecordingTextTracks',
        recording_id: printIdentifier('rec', recording.id),
        text_tracks: tracks.map(({ kind, language, label, source }) => ({
          kind,
          language,
          label,
          source,
          ...signPlaybackLink(dependencies, textTrackPath(recording.id, kind, language)),
        })),
      });
    }),
  ];
}
