import { placementPattern } from '@foyer/contract/resources/providers/provider-types.ts';
import { invalidInput } from '../../../platform/failures.ts';

const tagPattern = new RegExp(placementPattern);
const maxTagLength = 50;
const maxTags = 50;

/** @throws 422 if `tags` in the settings of a provider of a package or subscription is not a list of tags */
export function requirePlacement(settings: Readonly<Record<string, unknown>> | null | undefined): void {
  const tags = settings?.['tags'];
  if (tags === undefined || tags === null) return;
  if (!Array.isArray(tags)) throw invalidInput({ 'settings.tags': ['The tags setting must be a list.'] });
  if (tags.length > maxTags)
    throw invalidInput({ 'settings.tags': [`The tags setting must not have more than ${maxTags} items.`] });
  const invalidTags = [...tags.entries()].filter(([, tag]) => !isTag(tag));
  if (invalidTags.length === 0) return;
  throw invalidInput(
    Object.fromEntries(
      invalidTags.map(([index]) => [
        `settings.tags.${index}`,
        ['A tag can have lower-case letters, digits, dots, hyphens and underscores.'],
      ]),
    ),
  );
}

function isTag(tag: unknown): boolean {
  return typeof tag === 'string' && tag.length <= maxTagLength && tagPattern.test(tag);
}
