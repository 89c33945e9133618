/** What a list is narrowed to: field to value, all of which must hold. */
export type Constraints = Readonly<Record<string, string>>;

/** Words that people type are looked for as they are, whatever signs of the dialect they hold. */
export function escapeSearch(text: string): string {
  return text.replaceAll(/[\\;:,]/g, (sign) => `\\${sign}`);
}

/** The `search` and `searchJoin` of a list for free text within constraints; empty where neither is given. */
export function searchQuery(text: string, constraints: Constraints): { search?: string; searchJoin?: 'and' } {
  const segments = Object.entries(constraints).map(([field, value]) => `${field}:${escapeSearch(value)}`);
  const words = text.trim();
  if (words !== '') segments.push(escapeSearch(words));
  return segments.length === 0 ? {} : { search: segments.join(';'), searchJoin: 'and' };
}

export function printConstraints(constraints: Constraints): string | undefined {
  const entries = Object.entries(constraints).filter(([, value]) => value !== '');
  return entries.length === 0 ? undefined : entries.map(([field, value]) => `${field}:${value}`).join(';');
}

export function parseConstraints(text: string | undefined, allowed: readonly string[]): Constraints {
  const entries = (text ?? '').split(';').flatMap((segment) => {
    const colon = segment.indexOf(':');
    const field = segment.slice(0, colon);
    return colon > 0 && allowed.includes(field) ? [[field, segment.slice(colon + 1)] as const] : [];
  });
  return Object.fromEntries(entries);
}
