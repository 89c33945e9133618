import { isScope } from '@foyer/contract/conventions/scope.ts';

/** The distinct words of a `scope` parameter; null if there are none. */
export function parseScopes(text: unknown): readonly string[] | null {
  if (typeof text !== 'string') return null;
  const words = text.split(' ').filter((word) => word !== '');
  return words.length === 0 ? null : [...new Set(words)];
}

/** The scopes that both lists allow; `*` allows everything. */
export function intersectScopes(scopes: readonly string[], others: readonly string[]): readonly string[] {
  if (others.includes('*')) return scopes;
  if (scopes.includes('*')) return others;
  return scopes.filter((scope) => others.includes(scope));
}

/** Whether all scopes are known and allowed. */
export function areScopesAllowed(scopes: readonly string[], allowed: readonly string[]): boolean {
  return findDisallowedScope(scopes, allowed) === null;
}

/** The first scope that is unknown or not allowed; null if there is none. */
export function findDisallowedScope(scopes: readonly string[], allowed: readonly string[]): string | null {
  return scopes.find((scope) => !isScope(scope) || !(allowed.includes('*') || allowed.includes(scope))) ?? null;
}
