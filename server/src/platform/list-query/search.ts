import { type FieldKind, fieldKind, identifierPrefixOf, isFreeText } from '@foyer/contract/resource.ts';
import { type RawBuilder, sql } from 'kysely';
import { parseAnyIdentifier, parseIdentifier } from '../identifier.ts';
import { parseInstant } from '../instant.ts';
import type { View } from './view.ts';

export const conditions = ['=', '!=', 'like', 'in', 'between', '>', '>=', '<', '<='] as const;
export type Condition = (typeof conditions)[number];

/** What a `search` asks for: segments on fields, and free text. */
export interface Search {
  readonly fields: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly keywords: readonly (readonly string[])[];
}

export type SearchOutcome = { where: RawBuilder<unknown> | null } | { faults: Record<string, string[]> };

/**
 * Turns `search`, `searchFields` and `searchJoin` into a condition.
 * Segments are separated by `;`, the field ends at the first `:`; `\` takes the special meaning of `;:,\` away.
 */
export function compileSearch(
  view: View<never>,
  parameters: {
    search?: string | undefined;
    searchFields?: string | undefined;
    searchJoin?: string | undefined;
  },
): SearchOutcome {
  const searchable = Object.keys(view.expressions);
  const faults: Record<string, string[]> = {};
  const overrides = parseConditions(parameters.searchFields ?? '', searchable, faults);
  const join = parameters.searchJoin?.toLowerCase() ?? 'or';
  if (join !== 'or' && join !== 'and') faults['searchJoin'] = ['The search join must be one of: and, or.'];
  const text = parameters.search ?? '';
  if (text.includes('\u0000') || !text.isWellFormed()) {
    return { faults: { ...faults, search: ['The search contains characters that cannot be stored.'] } };
  }
  const search = parseSearch(text, searchable, faults);
  const terms: RawBuilder<unknown>[] = [];
  for (const { name, values } of search.fields) {
    const alternatives: RawBuilder<unknown>[] = [];
    for (const value of values) {
      const compiled = compileField(view, name, value, overrides.get(name));
      if (typeof compiled === 'string') (faults['search'] ??= []).push(compiled);
      else alternatives.push(compiled);
    }
    if (alternatives.length > 0) terms.push(joined(alternatives, sql` or `));
  }
  for (const keywords of search.keywords) terms.push(compileFreeText(view, keywords));
  if (Object.keys(faults).length > 0) return { faults };
  return {
    where: terms.length === 0 ? null : joined(terms, join === 'and' ? sql` and ` : sql` or `),
  };
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

export function unknownField(name: string, known: readonly string[]): string {
  return `There is no field ${JSON.stringify(name)} here. The fields are: ${known.join(', ')}.`;
}

function parseConditions(
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
      const known = conditions.find((candidate) => candidate === condition.toLowerCase());
      if (known) overrides.set(name, known);
      else (faults['searchFields'] ??= []).push(`The condition for ${name} must be one of: ${conditions.join(' ')}.`);
    }
  }
  return overrides;
}

/** A field name is lower-case letters, digits and underscores: `14:00` and `https://…` are free text. */
function looksLikeField(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name);
}

function compileFreeText(view: View<never>, keywords: readonly string[]): RawBuilder<unknown> {
  const names = Object.keys(view.expressions).filter((name) => {
    const schema = view.resource.fields[name];
    return schema !== undefined && isFreeText(schema);
  });
  if (names.length === 0) return sql`false`;
  const found = keywords.map((keyword) =>
    joined(
      names.map((name) => sql`${view.expressions[name]} ilike ${containing(keyword)}`),
      sql` or `,
    ),
  );
  return joined(found, sql` and `);
}

function compileField(
  view: View<never>,
  name: string,
  raw: string,
  override: Condition | undefined,
): RawBuilder<unknown> | string {
  if (!Object.hasOwn(view.expressions, name)) return unknownField(name, Object.keys(view.expressions));
  const schema = view.resource.fields[name];
  const expression = view.expressions[name];
  const kind = schema ? fieldKind(schema) : null;
  if (!schema || !expression || !kind) return unknownField(name, Object.keys(view.expressions));
  const condition = override ?? (kind === 'text' ? 'like' : '=');
  const read = (text: string) =>
    kind === 'identifier' && identifierPrefixOf(schema) === null
      ? readAnyIdentifier(text, view.holdersOfPrefix[name])
      : readValue(kind, text, identifierPrefixOf(schema));
  if (condition === 'in' || condition === 'between') {
    const parts = splitUnescaped(raw, ',').map((part) => unescape(part).trim());
    if (condition === 'between' && parts.length !== 2) return `The search for ${name} needs two values: from,to.`;
    if (condition === 'in') {
      const alternatives = parts.map((part) => compare(kind, expression, '=', read(part), name));
      return combine(alternatives, sql` or `);
    }
    const [from = '', to = ''] = parts;
    return combine(
      [compare(kind, expression, '>=', read(from), name), compare(kind, expression, '<=', read(to), name)],
      sql` and `,
    );
  }
  const text = unescape(raw);
  if (condition === 'like') return sql`${textOf(kind, expression)} ilike ${containing(text)}`;
  return compare(kind, expression, condition, read(text), name);
}

type Value =
  | { readonly kind: 'plain'; readonly value: string | number | boolean }
  /** An identifier whose prefix only some rows have. */
  | { readonly kind: 'prefixed'; readonly value: string; readonly holders: RawBuilder<unknown> }
  /** A whole day in UTC: from its first moment to before the next day's. */
  | {
      readonly kind: 'day';
      readonly from: string;
      readonly before: string;
      readonly exact: string | null;
    }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wrong'; readonly expected: string };

function readValue(kind: FieldKind, text: string, prefix: ReturnType<typeof identifierPrefixOf>): Value {
  if (kind === 'identifier') {
    const uuid = prefix ? parseIdentifier(prefix, text) : null;
    return uuid ? { kind: 'plain', value: uuid } : { kind: 'nothing' };
  }
  if (kind === 'number') {
    const number = /^-?\d{1,15}(\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
    return Number.isNaN(number) ? { kind: 'wrong', expected: 'a number' } : { kind: 'plain', value: number };
  }
  if (kind === 'boolean') {
    if (/^(true|1)$/i.test(text)) return { kind: 'plain', value: true };
    if (/^(false|0)$/i.test(text)) return { kind: 'plain', value: false };
    return { kind: 'wrong', expected: 'true or false' };
  }
  if (kind === 'instant' || kind === 'day') {
    const instant = parseInstant(text);
    if (!instant) return { kind: 'wrong', expected: 'a date' };
    const day = instant.slice(0, 10);
    const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    const exact = kind === 'instant' && /[T ]/i.test(text) ? instant : null;
    return { kind: 'day', from: `${day}T00:00:00Z`, before: `${next}T00:00:00Z`, exact };
  }
  return { kind: 'plain', value: text };
}

function readAnyIdentifier(text: string, holdersOf: ((prefix: string) => RawBuilder<unknown>) | undefined): Value {
  const read = parseAnyIdentifier(text);
  if (!read) return { kind: 'nothing' };
  if (read.prefix === null || !holdersOf) return { kind: 'plain', value: read.uuid };
  return { kind: 'prefixed', value: read.uuid, holders: holdersOf(read.prefix) };
}

function compare(
  kind: FieldKind,
  expression: RawBuilder<unknown>,
  condition: Exclude<Condition, 'like' | 'in' | 'between'>,
  value: Value,
  name: string,
): RawBuilder<unknown> | string {
  if (value.kind === 'wrong') return `The search value for ${name} must be ${value.expected}.`;
  if (value.kind === 'nothing') return condition === '!=' ? sql`true` : sql`false`;
  if (value.kind === 'day') return compareDay(kind, expression, condition, value);
  if (value.kind === 'prefixed') {
    const equal = sql`(${expression} is not distinct from ${value.value} and ${value.holders})`;
    if (condition === '!=') return sql`not ${equal}`;
    if (condition === '=') return sql`(${expression} = ${value.value} and ${value.holders})`;
  }
  if (condition === '!=') return sql`${expression} is distinct from ${value.value}`;
  return sql`${expression} ${sql.raw(condition)} ${value.value}`;
}

function compareDay(
  kind: FieldKind,
  expression: RawBuilder<unknown>,
  condition: Exclude<Condition, 'like' | 'in' | 'between'>,
  day: Extract<Value, { kind: 'day' }>,
): RawBuilder<unknown> {
  const type = sql.raw(kind === 'day' ? 'date' : 'timestamptz');
  const from = sql`${kind === 'day' ? day.from.slice(0, 10) : day.from}::${type}`;
  const before = sql`${kind === 'day' ? day.before.slice(0, 10) : day.before}::${type}`;
  if (condition === '=') return sql`(${expression} >= ${from} and ${expression} < ${before})`;
  if (condition === '!=') return sql`(${expression} < ${from} or ${expression} >= ${before} or ${expression} is null)`;
  if (day.exact !== null) return sql`${expression} ${sql.raw(condition)} ${day.exact}::timestamptz`;
  if (condition === '>') return sql`${expression} >= ${before}`;
  if (condition === '<=') return sql`${expression} < ${before}`;
  return sql`${expression} ${sql.raw(condition)} ${from}`;
}

function textOf(kind: FieldKind, expression: RawBuilder<unknown>): RawBuilder<unknown> {
  return kind === 'text' || kind === 'enum' ? expression : sql`${expression}::text`;
}

/** A pattern in which `%`, `_` and `\` are themselves. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

function combine(
  parts: readonly (RawBuilder<unknown> | string)[],
  by: RawBuilder<unknown>,
): RawBuilder<unknown> | string {
  const fault = parts.find((part) => typeof part === 'string');
  if (fault !== undefined) return fault;
  return joined(parts as RawBuilder<unknown>[], by);
}

function joined(parts: readonly RawBuilder<unknown>[], by: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${sql.join(parts, by)})`;
}

function splitUnescaped(text: string, separator: string): string[] {
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

function unescapedIndex(text: string, wanted: string): number {
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === wanted) return index;
  }
  return -1;
}

function unescape(text: string): string {
  return text.replaceAll(/\\([;:,\\])/g, '$1');
}

function append(fields: Map<string, string[]>, name: string, value: string): void {
  const values = fields.get(name);
  if (values) values.push(value);
  else fields.set(name, [value]);
}
