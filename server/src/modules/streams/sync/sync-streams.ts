import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { StreamState } from '../../../providers/media.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findServiceProvider, mediaProvider } from '../../service-providers/index.ts';
import { executeOrders } from '../orders/execute-orders.ts';
import { storeOrder } from '../orders/order-store.ts';
import { applyReport } from '../sessions/apply-report.ts';
import { endExhausted } from '../sessions/end-exhausted.ts';
import { abandonedAdmissions, lockCurrentSession, removeSession } from '../sessions/session-store.ts';
import { activeStreams, type StreamRow } from '../store.ts';

const admissionSeconds = 60;

/**
 * Sends pending orders, reads all running and fetched streams of each media server in one request, charges minutes, and
 * ends streams that have used them up. @returns how many streams were checked
 */
export async function syncStreams(dependencies: Dependencies): Promise<number> {
  await executeOrders(dependencies);
  const servers = [...(await activeStreams(dependencies.db))];
  const looked = await Promise.allSettled(servers.map(([id, streams]) => syncServer(dependencies, id, streams)));
  await forgetAbandonedAdmissions(dependencies);
  await endExhausted(dependencies);
  await executeOrders(dependencies);
  const failed = looked.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return looked.reduce((sum, outcome) => sum + (outcome.status === 'fulfilled' ? outcome.value : 0), 0);
}

async function syncServer(dependencies: Dependencies, id: Uuid, streams: readonly StreamRow[]): Promise<number> {
  const provider = await findServiceProvider(dependencies.db, id);
  if (!provider) return 0;
  try {
    const states = await (await mediaProvider(dependencies, provider)).streams.states();
    const reported = new Map(states.map((state) => [state.roomId, state]));
    for (const stream of streams) {
      const report = reported.get(stream.room_id);
      await applyReport(dependencies, id, report ?? unregistered(stream), { isAnswer: true });
      if (stream.source_url !== null && (!report || isPaused(report))) await orderAgain(dependencies, stream);
    }
    return streams.length;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: id, kind: error.kind }, 'provider did not return its streams');
    return 0;
  }
}

/** A media server that has lost its data does not know the stream. */
function unregistered({ room_id: roomId, revision }: StreamRow): StreamState {
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

/** The reasons of ends by the platform, after which a media server does not fetch the source until it gets the stream again. */
const platformReasons: readonly (string | null)[] = ['platform', 'not-admitted', 'stream-minutes-used-up'];

/** A source that cannot be fetched has an error instead: the media server tries again by itself. */
function isPaused({ state, endReason, sourceError }: StreamState): boolean {
  return state === 'idle' && sourceError === null && platformReasons.includes(endReason);
}

async function orderAgain(dependencies: Dependencies, stream: StreamRow): Promise<void> {
  const { room_id: roomId, service_provider_id: providerId } = stream;
  await inTransaction(dependencies, system, (change) => storeOrder(change, { providerId, roomId, kind: 'set' }));
}

async function forgetAbandonedAdmissions(dependencies: Dependencies): Promise<void> {
  const { db, clock } = dependencies;
  const before = clock.after(-admissionSeconds);
  for (const roomId of await abandonedAdmissions(db, before)) {
    await inTransaction(dependencies, system, async ({ tx }) => {
      const session = await lockCurrentSession(tx, roomId);
      if (session?.state === 'admitted' && session.admitted_at <= before) await removeSession(tx, session.id);
    });
  }
}
