import type { Metadata } from '@foyer/contract/conventions/field.ts';

/** What was changed here and is to be carried out on the provider. */
export const wishes = ['name', 'published', 'metadata'] as const;
export type Wish = (typeof wishes)[number];

/**
 * What of a metadata store a provider is given, under keys that collide with nothing of its own: what is a text, a
 * number or a boolean, with keys in the form that metadata there has.
 */
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
