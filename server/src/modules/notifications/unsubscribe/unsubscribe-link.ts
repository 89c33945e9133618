import { type NotificationKind, notificationKinds } from '@foyer/contract/resources/platform/notification.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Dependencies } from '../../../dependencies.ts';
import type { Recipient } from '../recipients.ts';

/** What a link switches off: one kind of mail for one recipient. */
export interface Unsubscription {
  readonly kind: NotificationKind;
  readonly population: Recipient['population'];
  readonly id: string;
}

const populations = { admin: 'admins', user: 'users', address: null } as const;

/** A link that switches off this kind of mail for the recipient. It does not expire, and contains no address. */
export function unsubscribeUrl(
  { linkKey, publicUrl }: Pick<Dependencies, 'linkKey' | 'publicUrl'>,
  kind: NotificationKind,
  { population, id }: Pick<Recipient, 'population' | 'id'>,
): string {
  const recipient = population === null ? 'address' : population === 'admins' ? 'admin' : 'user';
  const content = `${kind}.${recipient}.${id}`;
  return `${publicUrl()}/unsubscribe/${content}.${signatureOf(linkKey, content)}`;
}

/** Null for a token without a valid signature. */
export function readUnsubscribeToken({ linkKey }: Pick<Dependencies, 'linkKey'>, token: string): Unsubscription | null {
  const [, content = '', kind, recipient, id = '', signature = ''] =
    /^((\w+)\.(admin|user|address)\.([\w-]+))\.([\w-]{43})$/.exec(token) ?? [];
  const notificationKind = notificationKinds.find((name) => name === kind);
  const expected = signatureOf(linkKey, content);
  if (!notificationKind || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null;
  return { kind: notificationKind, population: populations[recipient as keyof typeof populations], id };
}

function signatureOf(key: string, content: string): string {
  return createHmac('sha256', key).update(`unsubscribe:${content}`).digest('base64url');
}

/** A hash that identifies an address without an account, so that no addresses are stored. */
export function addressHash({ fingerprintKey }: Pick<Dependencies, 'fingerprintKey'>, email: string): Buffer {
  return createHmac('sha256', fingerprintKey).update(`address:${email.toLowerCase()}`).digest();
}
