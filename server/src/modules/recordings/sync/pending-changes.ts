import type { Metadata } from '@foyer/contract/conventions/field.ts';

/** Changes that are stored and still have to be sent to the provider. */
export const pendingChanges = ['name', 'published', 'metadata'] as const;
export type PendingChange = (typeof pendingChanges)[number];

/** The scalar metadata as a provider stores it. The prefix keeps keys from colliding with the provider's own. */
export function labelsOf(metadata: Metadata): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [key, value] of Object.entries(metadata)) {
    const name = key
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    if (name === '' || value === null || typeof value === 'object') continue;
    const text = String(value).toWellFormed();
    if (text !== '' && text.length <= 500 && Object.keys(labels).length < 50) labels[`label-${name}`] = text;
  }
  return labels;
}
