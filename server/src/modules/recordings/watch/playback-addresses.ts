import { createHmac } from 'node:crypto';
import { encryptedColumn } from '../../../database/encrypted-column.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { RecordingRow } from '../store.ts';

/** The associated data of encrypted addresses, which binds them to their row. */
export function playbackAssociatedData(id: Uuid): string {
  return `recordings:${id}:playback`;
}

export const recordingAddressColumn = encryptedColumn('recordings', 'playback_sealed', playbackAssociatedData);

export type Addresses = Readonly<Record<string, string>>;

/** A digest with which addresses are compared without decrypting the stored ones; null for no addresses. */
export function hashAddresses({ fingerprintKey }: Pick<Dependencies, 'fingerprintKey'>, addresses: Addresses) {
  const entries = Object.entries(addresses).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return null;
  return createHmac('sha256', fingerprintKey).update(JSON.stringify(entries)).digest('base64url');
}

export async function encryptAddresses({ secretBox }: Pick<Dependencies, 'secretBox'>, id: Uuid, addresses: Addresses) {
  if (Object.keys(addresses).length === 0) return null;
  return await secretBox.seal(JSON.stringify(addresses), playbackAssociatedData(id));
}

export async function decryptAddresses(
  { secretBox }: Pick<Dependencies, 'secretBox'>,
  { id, playback_sealed: sealed }: Pick<RecordingRow, 'id' | 'playback_sealed'>,
): Promise<Addresses> {
  return sealed === null ? {} : (JSON.parse(await secretBox.open(sealed, playbackAssociatedData(id))) as Addresses);
}
