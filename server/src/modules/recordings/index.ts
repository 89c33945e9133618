import { defineModule } from '../../module.ts';
import { recordingView } from './transformer.ts';
import { deleteRecordingsOfRoom } from './delete-recordings.ts';
import { recordingGauges } from './gauges.ts';
import { checkRecordings } from './health-checks.ts';
import { recordingJobs } from './jobs.ts';
import { registerPlaybackPages } from './watch/pages.ts';
import { recordingAddressColumn } from './watch/playback-addresses.ts';
import { registerRecordingCallbacks } from './sync/recording-ready.ts';
import { relations, tenantScopes } from './relations.ts';
import { recordingRoutes } from './routes.ts';

export { signPlaybackLink } from './watch/sign-playback-link.ts';
export { type RecordingLimit, recordingLimitReached } from './recording-limits.ts';
export { recordingsToWatch, type WatchableRecording } from './watch/recordings-to-watch.ts';
export { handleRecordingEvent } from './sync/recording-ready.ts';
export { type RecordingRow, requireRecording } from './store.ts';
export { isReady } from './sync/reconcile.ts';
export { recordingView } from './transformer.ts';

export const recordings = defineModule({
  name: 'recordings',
  routes: recordingRoutes,
  views: { Recording: recordingView },
  pages(server, dependencies) {
    registerPlaybackPages(server, dependencies);
    registerRecordingCallbacks(server, dependencies);
  },
  jobs: recordingJobs,
  relations,
  tenantScopes,
  reactions: { 'room.deleting': (change, { roomId }) => deleteRecordingsOfRoom(change, roomId) },
  encryptedColumns: [recordingAddressColumn],
  healthChecks: [checkRecordings],
  gauges: [recordingGauges],
});
