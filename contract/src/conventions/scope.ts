import { permissions, scopeOf } from './permissions.ts';

/** What a token can be limited to: everything, or `<resource>:read` and `<resource>:write` as permissions need them. */
export const scopes: readonly string[] = ['*', ...new Set(permissions.map(({ name }) => scopeOf(name)))];

const known = new Set(scopes);

export function isScope(text: string): boolean {
  return known.has(text);
}
