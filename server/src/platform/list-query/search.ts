import { type FieldKind, fieldKind, identifierPrefixOf, isFreeText } from '@foyer/contract/conventions/resource.ts';
import { type RawBuilder, sql } from 'kysely';
import { parseAnyIdentifier, parseIdentifier } from '../identity/identifier.ts';
import { parseInstant } from '../time/instant.ts';
import {
  type Condition,
  countKeywords,
  faultsOfLength,
  maximumKeywords,
  parseConditions,
  parseSearch,
  type SearchParameters,
  splitUnescaped,
  unescape,
  unknownField,
} from './parse-search.ts';
import type { View } from './view.ts';

export type SearchOutcome = { where: RawBuilder<unknown> | null } | { faults: Record<string, string[]> };

/**
 * Compiles `search`, `searchFields` and `searchJoin` into a condition. Segments are separated by `;`, a field name
 * ends at the first `:`, and `\` escapes `;:,\`.
 */
export function compileSearch(view: View<never>, parameters: SearchParameters): SearchOutcome {
  if (Object.values(parameters).every((text) => text === undefined)) return { where: null };
  const searchable = Object.keys(view.expressions);
  const faults = faultsOfLength(parameters);
  if (Object.keys(faults).length > 0) return { faults };
  const overrides = parseConditions(parameters.searchFields ?? '', searchable, faults);
  const join = parameters.searchJoin?.toLowerCase() ?? 'or';
  if (join !== 'or' && join !== 'and') faults['searchJoin'] = ['The search join must be one of: and, or.'];
  const text = parameters.search ?? '';
  if (text.includes('\u0000') || !text.isWellFormed()) {
    return { faults: { ...faults, search: ['The search contains characters that cannot be stored.'] } };
  }
  const search = parseSearch(text, searchable, faults);
  if (countKeywords(search, overrides) > maximumKeywords) {
    const sentence = `A search can have at most ${maximumKeywords} keywords; each value of a field counts as one.`;
    return { faults: { ...faults, search: [sentence] } };
  }
  const terms: RawBuilder<unknown>[] = [];
  for (const { name, values } of search.fields) {
    const alternatives: RawBuilder<unknown>[] = [];
    for (const value of values) {
      const compiled = compileField(view, name, value, overrides.get(name));
      if (typeof compiled === 'string') (faults['search'] ??= []).push(compiled);
      else alternatives.push(compiled);
    }
    if (alternatives.length > 0) terms.push(joinConditions(alternatives, sql` or `));
  }
  for (const keywords of search.keywords) terms.push(compileFreeText(view, keywords));
  if (Object.keys(faults).length > 0) return { faults };
  return {
    where: terms.length === 0 ? null : joinConditions(terms, join === 'and' ? sql` and ` : sql` or `),
  };
}

function compileFreeText(view: View<never>, keywords: readonly string[]): RawBuilder<unknown> {
  const names = Object.keys(view.expressions).filter((name) => {
    const schema = view.resource.fields[name];
    return schema !== undefined && isFreeText(schema);
  });
  if (names.length === 0) return sql`false`;
  const terms = keywords.map((keyword) =>
    joinConditions(
      names.map((name) => compileContains(view, name, keyword)),
      sql` or `,
    ),
  );
  return joinConditions(terms, sql` and `);
}

/** Matches regardless of case. */
function compileContains(view: View<never>, name: string, text: string): RawBuilder<unknown> {
  const expression = view.expressions[name];
  const allValues = view.allValues[name];
  if (!allValues) return sql`${expression} ilike ${containsPattern(text)}`;
  const matching = allValues.filter((value) => value.toLowerCase().includes(text.toLowerCase()));
  return matching.length === 1 ? sql`${expression} = ${matching[0]}` : sql`${expression} = any(${matching}::text[])`;
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
  const column = { name, kind, expression };
  const condition = override ?? (kind === 'text' ? 'like' : '=');
  const read = (text: string) =>
    kind === 'identifier' && identifierPrefixOf(schema) === null
      ? readAnyIdentifier(text, view.holdersOfPrefix[name])
      : readValue(kind, text, identifierPrefixOf(schema));
  if (condition === 'in' || condition === 'between') {
    const parts = splitUnescaped(raw, ',').map((part) => unescape(part).trim());
    if (condition === 'between' && parts.length !== 2) return `The search for ${name} needs two values: from,to.`;
    if (condition === 'in') {
      const alternatives = parts.map((part) => compare(column, '=', read(part)));
      return combine(alternatives, sql` or `);
    }
    const [from = '', to = ''] = parts;
    return combine([compare(column, '>=', read(from)), compare(column, '<=', read(to))], sql` and `);
  }
  const text = unescape(raw);
  if (condition === 'like')
    return kind === 'text'
      ? compileContains(view, name, text)
      : sql`${textOf(kind, expression)} ilike ${containsPattern(text)}`;
  return compare(column, condition, read(text));
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

interface SearchedColumn {
  readonly name: string;
  readonly kind: FieldKind;
  readonly expression: RawBuilder<unknown>;
}

function compare(
  { name, kind, expression }: SearchedColumn,
  condition: Exclude<Condition, 'like' | 'in' | 'between'>,
  value: Value,
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

/** A LIKE pattern with `%`, `_` and `\` escaped. */
function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

function combine(
  parts: readonly (RawBuilder<unknown> | string)[],
  operator: RawBuilder<unknown>,
): RawBuilder<unknown> | string {
  const fault = parts.find((part) => typeof part === 'string');
  if (fault !== undefined) return fault;
  return joinConditions(parts as RawBuilder<unknown>[], operator);
}

function joinConditions(parts: readonly RawBuilder<unknown>[], operator: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${sql.join(parts, operator)})`;
}
