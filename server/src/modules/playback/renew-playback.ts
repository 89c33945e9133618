import type { Dependencies } from '../../dependencies.ts';
import { Failure, forbidden } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { MediaProvider, Playback } from '../../providers/media.ts';
import type { WatchLink } from '../meet-entry/index.ts';
import { availabilityRefusal } from '../room-access/index.ts';
import { mediaProvider } from '../service-providers/index.ts';
import { findSession, mayStillWatch } from './store.ts';

export interface RenewedPlayback {
  readonly adapter: MediaProvider;
  readonly playback: Playback;
}

/**
 * A new playback address for a viewer, who must still be allowed to watch.
 * @throws 403 with the reason; `meeting-ended` where the session is over
 */
export async function renewPlayback(
  dependencies: Dependencies,
  roomId: Uuid,
  link: WatchLink,
): Promise<RenewedPlayback> {
  const { db, clock, settings } = dependencies;
  const refused = await availabilityRefusal(db, roomId, clock.today(settings().system_timezone));
  if (refused) throw refused;
  const session = await findSession(db, roomId);
  if (!session || session.session !== link.sessionId) throw ended();
  if (!(await mayStillWatch(db, session.meeting_id, link.userId as Uuid, clock.now()))) throw revoked();
  const { provider_id: id, provider_type, properties } = session;
  const adapter = await mediaProvider(dependencies, { id, provider_type, properties });
  const meeting = { meetingId: roomId, internalId: link.sessionId, createdAtMs: link.createdAtMs };
  return { adapter, playback: adapter.playbackFor(meeting, link) };
}

function ended(): Failure {
  return forbidden('session-ended', 'The session has ended.');
}

function revoked(): Failure {
  return forbidden('token-unknown', 'This link is not valid any more.');
}
