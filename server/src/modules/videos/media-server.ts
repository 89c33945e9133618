import type { Dependencies } from '../../dependencies.ts';
import { type Failure, forbidden, invalidInput, unavailable } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { MediaProvider } from '../../providers/media.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import type { RoomRow } from '../rooms/index.ts';
import { findServiceProvider, mediaProvider, providersFor } from '../service-providers/index.ts';
import { findProviderOfRoom } from './store.ts';

export interface MediaServer {
  readonly id: Uuid;
  readonly adapter: MediaProvider;
}

/** @throws ProviderFailure `misconfigured` */
export async function requireMediaServer(dependencies: Dependencies, id: Uuid): Promise<MediaServer> {
  const row = await findServiceProvider(dependencies.db, id);
  if (!row) throw new ProviderFailure('misconfigured', id, 'The provider was deleted.');
  return { id, adapter: await mediaProvider(dependencies, row) };
}

/**
 * Chooses the media server for a new video of the room: the one with its other videos, because one session plays all.
 * @throws 403 `no-usable-provider`
 */
export async function chooseMediaServer(dependencies: Dependencies, room: RoomRow): Promise<MediaServer> {
  const { db, clock } = dependencies;
  const current = await findProviderOfRoom(db, room.id);
  if (current === null) {
    const candidates = await providersFor(db, room.subscription_id, clock.now());
    const chosen = candidates.find(({ obstacle }) => obstacle === null);
    if (!chosen) throw forbidden('no-usable-provider', 'The subscription has no media server that can be used.');
    return { id: chosen.id, adapter: await mediaProvider(dependencies, chosen) };
  }
  const row = await findServiceProvider(db, current);
  if (!row?.active) throw forbidden('no-usable-provider', 'The media server with the videos of the room is inactive.');
  return { id: row.id, adapter: await mediaProvider(dependencies, row) };
}

/**
 * Sends a request to a media server, outside of any transaction.
 * @throws 503 `provider-unavailable` on an unexpected answer; the error of `toFailure` if the request is rejected
 */
export async function callMediaServer<Answer>(
  send: () => Promise<Answer>,
  toFailure: (failure: ProviderFailure) => Failure = createUnavailableError,
): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw error.kind === 'refused' ? toFailure(error) : createUnavailableError(error);
  }
}

function createUnavailableError(cause: ProviderFailure): Failure {
  return unavailable(
    'provider-unavailable',
    'The media server returned an unexpected response. Please try again later.',
    { cause },
  );
}

/** The media server read the file and does not accept it. */
export function createFileRefusedError({ message }: ProviderFailure): Failure {
  return invalidInput(
    { file: [message === '' ? 'The media server does not accept the file.' : message] },
    'file-not-accepted',
  );
}
