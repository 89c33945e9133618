import { defineModule } from '../../module.ts';
import { deleteStreamOfRoom } from './delete-stream.ts';
import { streamJobs } from './jobs.ts';
import { streamGauges } from './monitoring/gauges.ts';
import { checkStreams } from './monitoring/health-checks.ts';
import { stopPrivateConnections } from './orders/address-rule-change.ts';
import { enforceStreamLimits } from './sync/enforce-limits.ts';
import { relations, tenantScopes } from './relations.ts';
import { streamRoutes } from './routes.ts';
import { streamSecretColumns } from './stream-key.ts';
import { outputView, streamView } from './transformer.ts';

export { type BroadcastRoom, disconnectBroadcast, endBroadcast, startBroadcast } from './sessions/browser-broadcast.ts';
export { findBroadcastEndReason, findSourceError } from './stream-state.ts';
export { type StreamEvent, handleStreamEvent } from './sync/handle-stream-event.ts';
export { outputView, streamView } from './transformer.ts';

export const streams = defineModule({
  name: 'streams',
  routes: streamRoutes,
  views: { Stream: streamView, Output: outputView },
  jobs: streamJobs,
  background: enforceStreamLimits,
  relations,
  tenantScopes,
  reactions: { 'room.deleting': deleteStreamOfRoom, 'settings.updated': stopPrivateConnections },
  encryptedColumns: streamSecretColumns,
  healthChecks: [checkStreams],
  gauges: [streamGauges],
});
