import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { StreamState } from '../../../providers/media.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findServiceProvider, mediaProvider } from '../../service-providers/index.ts';
import { executeOrders } from '../orders/execute-orders.ts';
import { storeOrder } from '../orders/order-store.ts';
import { applyReport } from '../sessions/apply-report.ts';
import { endExhaustedSessions } from '../sessions/end-exhausted.ts';
import { listAbandonedAdmissions, lockCurrentSession, removeSession } from '../sessions/session-store.ts';
import { listActiveStreams, type StreamRow } from '../store.ts';

const admissionSeconds = 60;

/**
 * Sends pending orders, reads the running streams and those with a source in one request per media server, charges
 * minutes, and ends streams that have used them up. @returns the number of checked streams
 */
export async function syncStreams(dependencies: Dependencies): Promise<number> {
  await executeOrders(dependencies);
  const servers = [...(await listActiveStreams(dependencies.db))];
  const outcomes = await Promise.allSettled(servers.map(([id, streams]) => syncServer(dependencies, id, streams)));
  await forgetAbandonedAdmissions(dependencies);
  await endExhaustedSessions(dependencies);
  await executeOrders(dependencies);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return outcomes.reduce((sum, outcome) => sum + (outcome.status === 'fulfilled' ? outcome.value : 0), 0);
}

async function syncServer(dependencies: Dependencies, id: Uuid, streams: readonly StreamRow[]): Promise<number> {
  const provider = await findServiceProvider(dependencies.db, id);
  if (!provider) return 0;
  try {
    const states = await (await mediaProvider(dependencies, provider)).streams.states();
    const reported = new Map(states.map((state) => [state.roomId, state]));
    for (const stream of streams) {
      const report = reported.get(stream.room_id);
      await applyReport(dependencies, id, report ?? idleState(stream), { isAnswer: true });
      if (stream.source_url !== null && (!report || isPaused(report))) await orderStreamAgain(dependencies, stream);
    }
    return streams.length;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: id, kind: error.kind }, 'provider did not return its streams');
    return 0;
  }
}

/** The state of a stream that the media server does not know, because it has lost its data. */
function idleState({ room_id: roomId, revision }: StreamRow): StreamState {
  return {
    roomId,
    revision,
    state: 'idle',
    sessionId: null,
    startedAtMs: null,
    viewers: 0,
    input: null,
    sourceError: null,
    sourceErrorCode: null,
    outputs: [],
    endReason: null,
    endedAtMs: null,
  };
}

/** The platform ended the stream. The media server then does not fetch the source until it gets the stream again. */
const platformReasons: readonly (string | null)[] = ['platform', 'not-admitted', 'stream-minutes-used-up'];

/** A media server retries a source that it cannot fetch. Such a source is not paused, but has an error. */
function isPaused({ state, endReason, sourceError }: StreamState): boolean {
  return state === 'idle' && sourceError === null && platformReasons.includes(endReason);
}

async function orderStreamAgain(dependencies: Dependencies, stream: StreamRow): Promise<void> {
  const { room_id: roomId, service_provider_id: providerId } = stream;
  await inTransaction(dependencies, system, (change) => storeOrder(change, { providerId, roomId, kind: 'set' }));
}

async function forgetAbandonedAdmissions(dependencies: Dependencies): Promise<void> {
  const { db, clock } = dependencies;
  const before = clock.after(-admissionSeconds);
  for (const roomId of await listAbandonedAdmissions(db, before)) {
    await inTransaction(dependencies, system, async ({ tx }) => {
      const session = await lockCurrentSession(tx, roomId);
      if (session?.state === 'admitted' && session.admitted_at <= before) await removeSession(tx, session.id);
    });
  }
}
