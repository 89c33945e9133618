import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { secretAssociatedData } from '../secrets.ts';
import type { WebhookRow } from '../store.ts';

/** The value of `webhook-signature` by the Standard Webhooks specification: one signature for each secret. */
export function signatureOf(content: string, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');
}

export type SealedSecrets = Pick<WebhookRow, 'id' | 'secret_sealed' | 'former_secret_sealed' | 'former_secret_until'>;

/** The secrets that sign at the instant, the newest first. @throws SecretUnreadable */
export async function openSecrets(
  secretBox: Pick<SecretBox, 'open'>,
  webhook: SealedSecrets,
  now: string,
): Promise<string[]> {
  const { id, secret_sealed: current, former_secret_sealed: former, former_secret_until: until } = webhook;
  const isFormerValid = former !== null && until !== null && epochMs(until) > epochMs(now);
  const sealed = isFormerValid ? [current, former] : [current];
  return await Promise.all(sealed.map((text) => secretBox.open(text, secretAssociatedData(id))));
}

/** Opens each secret once. */
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
