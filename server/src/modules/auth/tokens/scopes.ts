import { isScope } from '@foyer/contract/conventions/scope.ts';

/** The words of a `scope` parameter, each once; null where none is asked for. */
export function parseScopes(text: unknown): readonly string[] | null {
  if (typeof text !== 'string') return null;
  const words = text.split(' ').filter((word) => word !== '');
  return words.length === 0 ? null : [...new Set(words)];
}

/** What both lists allow; `*` allows everything. */
export function intersectScopes(some: readonly string[], others: readonly string[]): readonly string[] {
  if (others.includes('*')) return some;
  if (some.includes('*')) return others;
  return some.filter((scope) => others.includes(scope));
}

/** Whether each of the scopes is known, and within what is allowed. */
export function areWithin(scopes: readonly string[], allowed: readonly string[]): boolean {
  return firstBeyond(scopes, allowed) === null;
}

/** The first of the scopes that is unknown or beyond what is allowed, null where there is none. */
export function firstBeyond(scopes: readonly string[], allowed: readonly string[]): string | null {
  return scopes.find((scope) => !isScope(scope) || !(allowed.includes('*') || allowed.includes(scope))) ?? null;
}
