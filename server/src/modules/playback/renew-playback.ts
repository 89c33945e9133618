import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { MediaProvider, Playback } from '../../providers/media.ts';
import type { WatchLink } from '../meet-entry/index.ts';
import { availabilityRefusals, loadAccess, type LoadedAccess } from '../room-access/index.ts';
import { mediaProvider } from '../service-providers/index.ts';
import { findSession, mayStillWatch } from './store.ts';

/** Why a viewer can no longer watch. The page has a text for each reason. */
export type WatchRefusal = 'ended' | 'revoked' | 'closed';

export interface RenewedPlayback {
  readonly adapter: MediaProvider;
  readonly playback: Playback;
  readonly room: LoadedAccess['room'];
  readonly mayDownload: boolean;
  /** False for a simulcast room without viewers: moderators only broadcast. */
  readonly hasViewers: boolean;
  readonly providerId: Uuid;
  readonly features: LoadedAccess['features'];
}

/** Creates a new playback address, or returns why the viewer can no longer watch. */
export async function renewPlayback(
  dependencies: Dependencies,
  roomId: Uuid,
  link: WatchLink,
): Promise<RenewedPlayback | WatchRefusal> {
  const { db, clock, settings } = dependencies;
  const now = clock.now();
  const access = await loadAccess(db, roomId, clock.today(settings().system_timezone), now);
  if (availabilityRefusals(access.rules).length > 0) return 'closed';
  const session = await findSession(db, roomId);
  if (!session || session.session !== link.sessionId) return 'ended';
  if (!(await mayStillWatch(db, session.meeting_id, link.userId, now))) return 'revoked';
  const { provider_id: id, provider_type, properties } = session;
  const adapter = await mediaProvider(dependencies, { id, provider_type, properties });
  const meeting = { meetingId: roomId, internalId: link.sessionId, createdAtMs: link.createdAtMs };
  const mayDownload = access.features.get('download') === 'true';
  const { room, features } = access;
  return {
    adapter,
    room,
    features,
    providerId: id,
    mayDownload,
    hasViewers: access.rules.hasViewers,
    playback: adapter.playbackFor(meeting, { ...link, mayDownload }),
  };
}
