import type { TextFormat } from '@foyer/contract/conventions/field.ts';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { TObject, TSchema } from 'typebox';
import { parseCalendarDate } from '../../time/calendar-date.ts';
import type { FieldFaults } from '../../failures.ts';
import { parseIdentifier } from '../../identity/identifier.ts';
import { parseInstant } from '../../time/instant.ts';
import { formats } from './formats.ts';

export type ParsedInput = { values: Record<string, unknown> } | { faults: FieldFaults; unnamed?: number };

/**
 * Parses a body by its declared schema and reports all faults. Text is trimmed, `""` becomes null, identifiers become
 * uuids, days `YYYY-MM-DD`, instants canonical; undeclared members are dropped. A null that the schema does not allow
 * means "not given" on create, and is a fault on update.
 */
export function parseInput(schema: TObject, input: unknown, mode: 'create' | 'update'): ParsedInput {
  if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input))) {
    return { faults: { body: ['The body must be a JSON object.'] } };
  }
  const members = (input ?? {}) as Record<string, unknown>;
  const required = new Set((schema as { required?: string[] }).required ?? []);
  const faults: FieldFaults = {};
  const values: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties) as [string, Schema][]) {
    const value = Object.hasOwn(members, name) ? blankToNull(member, members[name]) : undefined;
    if (value === undefined || (value === null && !allowsNull(member))) {
      if (required.has(name)) add(faults, name, `The ${label(name)} field is required.`);
      else if (value === null && mode === 'update') add(faults, name, `The ${label(name)} field cannot be null.`);
      continue;
    }
    values[name] = value === null ? null : readMember(member, value, name, faults);
  }
  return Object.keys(faults).length > 0 ? { faults } : { values };
}

export type Schema = TSchema & {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  'x-prefix'?: IdentifierPrefix;
  'x-day'?: boolean;
  'x-verbatim'?: boolean;
  'x-metadata'?: boolean;
  'x-map'?: boolean;
  'x-decimals'?: number;
  'x-digits'?: boolean;
  'x-open'?: boolean;
};

function label(name: string): string {
  return name.replaceAll('_', ' ');
}

function add(faults: FieldFaults, name: string, sentence: string): undefined {
  (faults[name] ??= []).push(sentence);
  return undefined;
}

function typesOf(schema: Schema): string[] {
  return Array.isArray(schema.type) ? schema.type : [schema.type ?? ''];
}

function allowsNull(schema: Schema): boolean {
  return typesOf(schema).includes('null');
}

export function blankToNull(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'string' || schema['x-verbatim']) return value;
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

export function readMember(schema: Schema, value: unknown, name: string, faults: FieldFaults): unknown {
  const accepted = typesOf(schema);
  if (schema['x-metadata'] || schema['x-map']) return readMap(schema, value, name, faults);
  if (typeof value === 'string' && accepted.includes('string')) return readText(schema, value, name, faults);
  if (typeof value === 'boolean' && accepted.includes('boolean')) return value;
  if (typeof value === 'number' && (accepted.includes('number') || accepted.includes('integer'))) {
    return readNumber(schema, value, name, faults);
  }
  if (schema['x-digits'] && typeof value === 'string' && /^\d{1,10}$/.test(value))
    return readNumber(schema, Number(value), name, faults);
  if (Array.isArray(value) && accepted.includes('array')) return readList(schema, value, name, faults);
  if (schema.properties && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return readObject(schema as TObject, value, name, faults);
  }
  return add(faults, name, `The ${label(name)} field must be ${expectedType(schema, accepted)}.`);
}

function expectedType(schema: Schema, accepted: readonly string[]): string {
  if (schema.enum) return `one of: ${choices(schema)}`;
  if (accepted.includes('string')) return accepted.length > 2 ? 'a string, number or boolean' : 'a string';
  if (accepted.includes('boolean')) return 'true or false';
  if (accepted.includes('integer')) return 'a whole number';
  if (accepted.includes('number')) return 'a number';
  if (accepted.includes('array')) return 'a list';
  return 'an object';
}

function choices(schema: Schema): string {
  return (schema.enum ?? []).filter((choice) => typeof choice === 'string').join(', ');
}

function readText(schema: Schema, text: string, name: string, faults: FieldFaults): unknown {
  if (!isStorable(text))
    return add(faults, name, `The ${label(name)} field contains characters that cannot be stored.`);
  if (schema.enum && !schema['x-open'] && !schema.enum.includes(text)) {
    return add(faults, name, `The selected ${label(name)} is invalid. It must be one of: ${choices(schema)}.`);
  }
  if (schema.maxLength !== undefined && isLonger(text, schema.maxLength)) {
    return add(faults, name, `The ${label(name)} field must not be longer than ${schema.maxLength} characters.`);
  }
  if (schema.minLength !== undefined && !isLonger(text, schema.minLength - 1)) {
    return add(faults, name, `The ${label(name)} field must be at least ${schema.minLength} characters.`);
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(text)) {
    return add(faults, name, `The ${label(name)} field contains characters that are not allowed.`);
  }
  return readFormat(schema, text, name, faults);
}

/** Counts characters only when the number of UTF-16 units is not conclusive. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || [...text].length > characters;
}

function readFormat(schema: Schema, text: string, name: string, faults: FieldFaults): unknown {
  if (schema.format === undefined) return text;
  if (schema.format === 'identifier') {
    const uuid = schema['x-prefix'] ? parseIdentifier(schema['x-prefix'], text) : null;
    return uuid ?? add(faults, name, `The selected ${label(name)} is invalid.`);
  }
  if (schema.format === 'date-time') {
    const read = schema['x-day'] ? parseCalendarDate(text) : parseInstant(text);
    return read ?? add(faults, name, `The ${label(name)} field must be a valid date.`);
  }
  const format = formats[schema.format as TextFormat];
  return format.read(text) ?? add(faults, name, `The ${label(name)} field must be ${format.expected}.`);
}

function readNumber(schema: Schema, value: number, name: string, faults: FieldFaults): unknown {
  const isWhole = typesOf(schema).includes('integer') && !typesOf(schema).includes('number');
  if (isWhole && !Number.isSafeInteger(value))
    return add(faults, name, `The ${label(name)} field must be a whole number.`);
  if (schema.minimum !== undefined && value < schema.minimum) {
    return add(faults, name, `The ${label(name)} field must be at least ${schema.minimum}.`);
  }
  if (schema.maximum !== undefined && value > schema.maximum) {
    return add(faults, name, `The ${label(name)} field must not be greater than ${schema.maximum}.`);
  }
  const decimals = schema['x-decimals'];
  if (decimals !== undefined && Math.abs(value - Number(value.toFixed(decimals))) > Number.EPSILON * Math.abs(value)) {
    return add(faults, name, `The ${label(name)} field must not have more than ${decimals} decimals.`);
  }
  return value;
}

/** For lists that declare no maximum. */
export const maxEntries = 1000;

function readList(schema: Schema, values: readonly unknown[], name: string, faults: FieldFaults): unknown {
  const { maxItems = maxEntries } = schema;
  if (values.length > maxItems) {
    return add(faults, name, `The ${label(name)} field must not have more than ${maxItems} entries.`);
  }
  return values.map((value, index) => {
    const item = schema.items;
    return item ? readMember(item, blankToNull(item, value), `${name}.${index}`, faults) : value;
  });
}

const maximumKeys = 256;
const maximumBytes = 65_536;
const maximumMapDepth = 8;

function readMap(schema: Schema, value: unknown, name: string, faults: FieldFaults): unknown {
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return add(faults, name, `The ${label(name)} field must be an object.`);
  }
  const entries = Object.entries(value);
  if (entries.length > maximumKeys)
    return add(faults, name, `The ${label(name)} field must not have more than ${maximumKeys} keys.`);
  // Checked before the content is traversed.
  if (Buffer.byteLength(JSON.stringify(value)) > maximumBytes)
    return add(faults, name, `The ${label(name)} field must not be larger than 64 KiB.`);
  for (const [key, entry] of entries) {
    if (key === '' || isLonger(key, 64))
      add(
        faults,
        name,
        `The keys of ${label(name)} must have 1 to 64 characters: ${JSON.stringify(key.slice(0, 70))}.`,
      );
    const depth = depthOf(entry);
    if (schema['x-metadata'] ? depth > 1 : depth > maximumMapDepth)
      add(faults, `${name}.${key}`, `The value of ${key} in ${label(name)} is nested too deeply.`);
  }
  for (const path of reservedKeys(value))
    add(faults, `${name}.${path}`, `The key ${path} in ${label(name)} is reserved.`);
  if (!everyText(value, isStorable))
    add(faults, name, `The ${label(name)} field contains characters that cannot be stored.`);
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    if (Object.hasOwn(value, key))
      readMember(property, (value as Record<string, unknown>)[key], `${name}.${key}`, faults);
  return value;
}

function readObject(
  schema: TObject & Pick<Schema, 'additionalProperties'>,
  value: object,
  name: string,
  faults: FieldFaults,
): unknown {
  if (schema.additionalProperties === false)
    for (const unknown of Object.keys(value).filter((member) => !Object.hasOwn(schema.properties, member)))
      add(faults, `${name}.${unknown}`, `The ${unknown} of ${label(name)} is unknown.`);
  const parsed = parseInput(schema, value, 'create');
  if ('values' in parsed) return parsed.values;
  for (const [member, sentences] of Object.entries(parsed.faults)) faults[`${name}.${member}`] = sentences;
  return undefined;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((deepest, entry) => Math.max(deepest, 1 + depthOf(entry)), 1);
}

/** Against prototype pollution: code that copies maps key by key would lose these keys or change a prototype. */
const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Paths of the reservedNames keys at any depth, as `inner.__proto__`. */
function reservedKeys(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => [
    ...(!Array.isArray(value) && reservedNames.has(key) ? [key] : []),
    ...reservedKeys(entry).map((path) => `${key}.${path}`),
  ]);
}

function everyText(value: unknown, isValid: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isValid(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, entry]) => isValid(key) && everyText(entry, isValid));
}

/** PostgreSQL stores neither NUL nor lone surrogates. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
