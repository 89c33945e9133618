/** Filters: field to value, or to `from..to` for instants. All must match. */
export type Constraints = Readonly<Record<string, string>>;

/** Escapes the search syntax in typed text. */
export function escapeSearch(text: string): string {
  return text.replaceAll(/[\\;:,]/g, (sign) => `\\${sign}`);
}

/** The `search` and `searchJoin` parameters for text and filters; empty if there are none. */
export function searchQuery(
  text: string,
  constraints: Constraints,
): { search?: string; searchJoin?: 'and'; searchFields?: string } {
  const segments: string[] = [];
  const conditions: string[] = [];
  for (const [field, value] of Object.entries(constraints)) {
    const range = rangeOf(value);
    const bounds = [range?.from, range?.to].filter((bound) => bound !== undefined && bound !== '');
    segments.push(
      `${field}:${range === null ? escapeSearch(value) : bounds.map((b) => escapeSearch(b ?? '')).join(',')}`,
    );
    if (range !== null)
      conditions.push(`${field}:${bounds.length === 2 ? 'between' : range.from === '' ? '<=' : '>='}`);
  }
  const words = text.trim();
  if (words !== '') segments.push(escapeSearch(words));
  if (segments.length === 0) return {};
  return {
    search: segments.join(';'),
    searchJoin: 'and',
    ...(conditions.length === 0 ? {} : { searchFields: conditions.join(';') }),
  };
}

/** The two ends of `from..to`, which can be empty; null if it is not a range of instants. */
export function rangeOf(value: string): { from: string; to: string } | null {
  const [, from, to] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)?\.\.(\d{4}-\d\d-\d\dT[\d:.]+Z)?$/.exec(value) ?? [];
  return from === undefined && to === undefined ? null : { from: from ?? '', to: to ?? '' };
}

export function printRange(from: string, to: string): string {
  return from === '' && to === '' ? '' : `${from}..${to}`;
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
