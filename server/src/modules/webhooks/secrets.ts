import { randomBytes } from 'node:crypto';
import { encryptedColumn } from '../../database/encrypted-column.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

const secretBytes = 32;

/** In the format of the Standard Webhooks specification. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/** Binds the ciphertext to its row. The former secret has the same, since rotation moves the ciphertext. */
export function secretAssociatedData(id: Uuid): string {
  return `webhooks:${id}:secret`;
}

export const secretColumns = [
  encryptedColumn('webhooks', 'secret_sealed', secretAssociatedData),
  encryptedColumn('webhooks', 'former_secret_sealed', secretAssociatedData),
];
