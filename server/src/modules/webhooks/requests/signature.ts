import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { secretAssociatedData } from '../secrets.ts';
import type { FormerSecret, WebhookRow } from '../store.ts';

/** The value of `webhook-signature` by the Standard Webhooks specification: one signature for each secret. */
export function signatureOf(content: string, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');
}

export type SealedSecrets = Pick<WebhookRow, 'id' | 'secret_sealed' | 'former_secrets'>;

/** Decrypts the secrets with which requests are signed at the instant, the newest first. @throws SecretUnreadable */
export async function openSecrets(
  secretBox: Pick<SecretBox, 'open'>,
  webhook: SealedSecrets,
  now: string,
): Promise<string[]> {
  const { id, secret_sealed: current, former_secrets: former } = webhook;
  const sealed = [current, ...filterOverlapping(former, now).map((secret) => secret.sealed)];
  return await Promise.all(sealed.map((text) => secretBox.open(text, secretAssociatedData(id))));
}

/** The former secrets whose overlap has not ended at the instant. */
export function filterOverlapping(former: readonly FormerSecret[], now: string): FormerSecret[] {
  return former.filter(({ until }) => epochMs(until) > epochMs(now));
}

/** Decrypts each secret once. */
export function createSecretCache(secretBox: SecretBox): Pick<SecretBox, 'open'> {
  const opened = new LRUCache<string, string>({ max: 5000 });
  return {
    async open(sealed, context) {
      const cached = opened.get(sealed);
      if (cached !== undefined) return cached;
      const secret = await secretBox.open(sealed, context);
      opened.set(sealed, secret);
      return secret;
    },
  };
}
