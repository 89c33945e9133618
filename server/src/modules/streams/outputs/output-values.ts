import { outputPlatforms } from '@foyer/contract/resources/media/output.ts';
import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { findAddressFault, outputProtocols } from '../media-address.ts';
import { outputKeyAssociatedData } from '../stream-key.ts';

/** The requested address, or else the one of the platform. @throws 422 naming `url` */
export async function requireAddress(
  { settings }: Pick<Dependencies, 'settings'>,
  platform: keyof typeof outputPlatforms,
  url: string | null,
): Promise<string> {
  const address = url ?? outputPlatforms[platform];
  if (address === null)
    throw invalidInput({
      url: [`The url field is required, because ${platform} has a different address for each account.`],
    });
  const fault = await findAddressFault(address, {
    protocols: outputProtocols,
    allowsCredentials: false,
    isPrivateAllowed: settings().media_allow_private_addresses,
  });
  if (fault !== null && url !== null) throw invalidInput({ url: [fault] });
  return address;
}

/** Why the stream key is not valid, or null. Checked because the key becomes part of an address. */
export function findKeyFault(key: string | null): string | null {
  if (key === null) return null;
  if (key === secretMask) return 'This is the mask that is shown instead of the stream key. Enter the key itself.';
  return /^[\x21-\x7e]+$/.test(key) ? null : 'The stream key must be ASCII characters without spaces.';
}

export async function sealKey(
  { secretBox }: Pick<Dependencies, 'secretBox'>,
  id: Uuid,
  key: string | null,
): Promise<string | null> {
  return key === null ? null : await secretBox.seal(key, outputKeyAssociatedData(id));
}
