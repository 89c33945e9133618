import { createHmac } from 'node:crypto';
import { encryptedColumn } from '../../../database/encrypted-column.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { RecordingRow } from '../store.ts';

/** What sealed addresses are bound to: moved to another row they do not open. */
export function playbackPlace(id: Uuid): string {
  return `recordings:${id}:playback`;
}

export const recordingAddressColumn = encryptedColumn('recordings', 'playback_sealed', playbackPlace);

export type Addresses = Readonly<Record<string, string>>;

/** Tells whether addresses are those that are sealed, without opening them; null for none. */
export function hashAddresses({ fingerprintSeed }: Pick<Dependencies, 'fingerprintSeed'>, addresses: Addresses) {
  const entries = Object.entries(addresses).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return null;
  return createHmac('sha256', fingerprintSeed).update(JSON.stringify(entries)).digest('base64url');
}

export async function sealAddresses({ secretBox }: Pick<Dependencies, 'secretBox'>, id: Uuid, addresses: Addresses) {
  if (Object.keys(addresses).length === 0) return null;
  return await secretBox.seal(JSON.stringify(addresses), playbackPlace(id));
}

export async function openAddresses(
  { secretBox }: Pick<Dependencies, 'secretBox'>,
  { id, playback_sealed: sealed }: Pick<RecordingRow, 'id' | 'playback_sealed'>,
): Promise<Addresses> {
  return sealed === null ? {} : (JSON.parse(await secretBox.open(sealed, playbackPlace(id))) as Addresses);
}
