import { isMask } from '../../../kit/format/to-text.ts';
import { isSame } from '../../../kit/form/form-values.ts';

/** A member before and after a change; undefined if absent. */
export interface Difference {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  /** For lists of words; null for other values. */
  readonly words: { readonly added: string[]; readonly removed: string[]; readonly kept: string[] } | null;
}

type Values = Readonly<Record<string, unknown>>;

/** The changed members. Bookkeeping such as `updated_at` comes last. */
export function differencesOf(before: Values | null, after: Values | null): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => describe(name, before?.[name], after?.[name]))
    .filter(({ before: old, after: next, name }) => !isSame(old, next) || isMask(next) || !(name in (after ?? {})))
    .filter(({ before: old, after: next }) => !isEmpty(old) || !isEmpty(next))
    .sort((left, right) => Number(bookkeeping.has(left.name)) - Number(bookkeeping.has(right.name)));
}

export function isBookkeeping(name: string): boolean {
  return bookkeeping.has(name);
}

const bookkeeping = new Set([
  'id',
  'created_at',
  'updated_at',
  'ancestors',
  'anchor_day',
  'canceled_now',
  'holds_stock',
  'status_above',
]);

function describe(name: string, before: unknown, after: unknown): Difference {
  return { name, before, after, words: compareWords(before, after) };
}

function compareWords(before: unknown, after: unknown): Difference['words'] {
  if (!isWords(before) || !isWords(after)) return null;
  return {
    added: after.filter((word) => !before.includes(word)),
    removed: before.filter((word) => !after.includes(word)),
    kept: after.filter((word) => before.includes(word)),
  };
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
