import { permissions, scopeOf } from './permissions.ts';

/** The scopes of tokens: `*` for everything, or `<resource>:read` and `<resource>:write`. */
export const scopes: readonly string[] = ['*', ...new Set(permissions.map(({ name }) => scopeOf(name)))];

const scopeSet = new Set(scopes);

export function isScope(text: string): boolean {
  return scopeSet.has(text);
}
