import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { SecretUnreadable } from '../../platform/crypto/secret-box.ts';
import type { Viewer } from '../../providers/media.ts';
import { type RoomRow, roomUrl } from '../rooms/index.ts';

/** The encrypted content of a watch page's address: the viewer and the session. */
export interface WatchLink extends Viewer {
  readonly sessionId: string;
  readonly createdAtMs: number;
}

/**
 * The address of the watch page for one entry. Valid as long as the session, and checked again whenever the player
 * renews its playback address.
 */
export async function watchAddress(
  { secretBox, publicUrl }: Pick<Dependencies, 'secretBox' | 'publicUrl'>,
  room: Pick<RoomRow, 'id' | 'slug'>,
  link: WatchLink,
): Promise<string> {
  const sealed = await secretBox.seal(JSON.stringify(link), associatedData(room.id));
  return `${roomUrl(publicUrl(), room)}/watch/${sealed}`;
}

/** @returns null if the address is not of this room */
export async function readWatchLink(
  { secretBox }: Pick<Dependencies, 'secretBox'>,
  roomId: Uuid,
  sealed: string,
): Promise<WatchLink | null> {
  try {
    return JSON.parse(await secretBox.open(sealed, associatedData(roomId))) as WatchLink;
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

function associatedData(roomId: Uuid): string {
  return `rooms:${roomId}:watch`;
}
