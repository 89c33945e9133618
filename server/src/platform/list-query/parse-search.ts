export const conditions = ['=', '!=', 'like', 'in', 'between', '>', '>=', '<', '<='] as const;
export type Condition = (typeof conditions)[number];

/** A parsed `search`: segments on fields, and free text. */
export interface Search {
  readonly fields: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly keywords: readonly (readonly string[])[];
}

export interface SearchParameters {
  readonly search?: string | undefined;
  readonly searchFields?: string | undefined;
  readonly searchJoin?: string | undefined;
}

const maximumLength = 512;
export const maximumKeywords = 10;

export function faultsOfLength({ search = '', searchFields = '' }: Omit<SearchParameters, 'searchJoin'>) {
  const faults: Record<string, string[]> = {};
  for (const [name, text] of Object.entries({ search, searchFields })) {
    if (text.length > maximumLength) faults[name] = [`The ${name} must have at most ${maximumLength} characters.`];
  }
  return faults;
}

/** Counts keywords, since each of them is a condition that is checked for every row. */
export function countKeywords({ fields, keywords }: Search, overrides: ReadonlyMap<string, Condition>): number {
  const countsOfFields = fields.flatMap(({ name, values }) =>
    values.map((value) => (overrides.get(name) === 'in' ? splitUnescaped(value, ',').length : 1)),
  );
  return [...countsOfFields, ...keywords.map(({ length }) => length)].reduce((sum, count) => sum + count, 0);
}

export function parseSearch(text: string, searchable: readonly string[], faults: Record<string, string[]>): Search {
  const fields = new Map<string, string[]>();
  const keywords: string[][] = [];
  for (const segment of splitUnescaped(text, ';')) {
    if (segment.trim() === '') continue;
    const colon = unescapedIndex(segment, ':');
    const name = colon < 0 ? '' : segment.slice(0, colon).trim();
    const value = segment.slice(colon + 1).trim();
    if (looksLikeField(name) && !value.startsWith('//')) {
      if (searchable.includes(name)) append(fields, name, value);
      else (faults['search'] ??= []).push(unknownField(name, searchable));
    } else {
      keywords.push(unescape(segment).trim().split(/\s+/));
    }
  }
  return { fields: [...fields].map(([name, values]) => ({ name, values })), keywords };
}

export function unknownField(name: string, fieldNames: readonly string[]): string {
  return `There is no field ${JSON.stringify(name)}. The fields are: ${fieldNames.join(', ')}.`;
}

export function parseConditions(
  text: string,
  searchable: readonly string[],
  faults: Record<string, string[]>,
): Map<string, Condition> {
  const overrides = new Map<string, Condition>();
  for (const segment of text.split(/[;,]/)) {
    const [name = '', condition] = segment.split(/:(.*)/s).map((part) => part.trim());
    if (name === '') continue;
    if (!searchable.includes(name)) {
      (faults['searchFields'] ??= []).push(unknownField(name, searchable));
    } else if (condition !== undefined && condition !== '') {
      const operator = conditions.find((candidate) => candidate === condition.toLowerCase());
      if (operator) overrides.set(name, operator);
      else (faults['searchFields'] ??= []).push(`The condition for ${name} must be one of: ${conditions.join(' ')}.`);
    }
  }
  return overrides;
}

/** A field name is lower-case letters, digits and underscores: `14:00` and `https://…` are free text. */
function looksLikeField(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name);
}

export function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === separator) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unescapedIndex(text: string, separator: string): number {
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === separator) return index;
  }
  return -1;
}

export function unescape(text: string): string {
  return text.replaceAll(/\\([;:,\\])/g, '$1');
}

function append(fields: Map<string, string[]>, name: string, value: string): void {
  const values = fields.get(name);
  if (values) values.push(value);
  else fields.set(name, [value]);
}
