import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Dependencies } from '../../../dependencies.ts';
import { parseIdentifier, printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';

/** The kinds of callbacks, each with the prefix of the id in the address. */
const idPrefixes = {
  'meeting-ended': 'meet',
  'meeting-attendance': 'meet',
  'recording-ready': 'meet',
  'provider-events': 'prov',
  'media-events': 'prov',
} as const;
export type CallbackKind = keyof typeof idPrefixes;

/** The route of a kind: `/callbacks/<kind>/<id>.<token>`. */
export function callbackRoute(kind: CallbackKind): string {
  return `/callbacks/${kind}/:address`;
}

/** The callback URL for a meeting or a provider, depending on the kind. It contains a MAC. */
export function callbackAddress(
  { callbackSeed, publicUrl }: Pick<Dependencies, 'callbackSeed' | 'publicUrl'>,
  kind: CallbackKind,
  id: Uuid,
): string {
  return `${publicUrl()}/callbacks/${kind}/${printIdentifier(idPrefixes[kind], id)}.${tokenOf(callbackSeed, kind, id)}`;
}

/** The id in the parameter `address` of the route; null if the address is not valid. */
export function readCallbackAddress(
  { callbackSeed }: Pick<Dependencies, 'callbackSeed'>,
  kind: CallbackKind,
  address: string,
): Uuid | null {
  const [, name = '', signature = ''] = /^([a-z]+_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/.exec(address) ?? [];
  const id = name === '' ? null : parseIdentifier(idPrefixes[kind], name);
  if (id === null) return null;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(tokenOf(callbackSeed, kind, id))) ? id : null;
}

function tokenOf(seed: string, kind: CallbackKind, id: Uuid): string {
  return createHmac('sha256', seed).update(`${kind}:${id}`).digest('base64url');
}
