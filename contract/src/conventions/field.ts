import { type Static, type TOptional, type TProperties, type TSchema, Type } from 'typebox';
import type { IdentifierPrefix } from './identifier-prefixes.ts';

/**
 * Builders for the fields of bodies and resources. Each returns JSON Schema. What JSON Schema cannot express is in `x-`
 * keywords, which the parser, the lists, the reference and the console's forms read.
 */

/** A reference to a row: accepted as id, uuid or ulid, parsed to the uuid, printed as the id. */
export function identifier(prefix: IdentifierPrefix, description?: string) {
  return Type.String({ format: 'identifier', 'x-prefix': prefix, ...describe(description) });
}

/** A reference to a row of any resource: accepted as id with any prefix, uuid or ulid. */
export function anyIdentifier(description?: string) {
  return Type.String({ format: 'identifier', ...describe(description) });
}

/** One line of text, trimmed; `""` becomes null. */
export function text(maxLength = 150, options: TextOptions = {}) {
  const { freeText, secret, description, ...rest } = options;
  return Type.String({
    maxLength,
    ...(freeText ? { 'x-free-text': true } : {}),
    ...(secret ? { writeOnly: true, 'x-verbatim': true } : {}),
    ...describe(description),
    ...rest,
  });
}

interface TextOptions {
  minLength?: number;
  pattern?: string;
  format?: TextFormat;
  /** Included in free-text search. */
  freeText?: boolean;
  /** Never printed and never trimmed. */
  secret?: boolean;
  description?: string;
}

export type TextFormat =
  | 'email'
  | 'http-url'
  | 'host-name'
  | 'host-label'
  | 'origin'
  | 'time-zone'
  | 'locale'
  | 'currency'
  | 'country'
  | 'color';

export function longText(options: Pick<TextOptions, 'freeText'> = {}) {
  return Type.String({ maxLength: 32_768, 'x-multiline': true, ...(options.freeText ? { 'x-free-text': true } : {}) });
}

export function boolean(description?: string) {
  return Type.Boolean(describe(description));
}

export function integer(minimum = 0, maximum = 2_147_483_647) {
  return Type.Integer({ minimum, maximum });
}

/** The level by which packages are ordered: printed as a number, also accepted as a string of digits. */
export function tier() {
  return Type.Integer({
    ...integer(),
    'x-digits': true,
    description: 'The level by which packages are ordered; on input also a string of digits.',
  });
}

/** A decimal number; money has at most four decimals. */
export function money() {
  return Type.Number({ minimum: 0, maximum: 9_999_999_999, 'x-decimals': 4 });
}

export function oneOf<const Values extends readonly string[]>(values: Values, description?: string) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...describe(description) });
}

/** Like `oneOf`, but an installation can have other values too. The action checks the value. */
export function openChoice(values: readonly string[], description?: string) {
  return Type.Unsafe<string>({ type: 'string', enum: values, 'x-open': true, ...describe(description) });
}

/** An instant, `YYYY-MM-DDTHH:MM:SS.ffffffZ`; on input also a date, which means midnight UTC. */
export function instant() {
  return Type.String({ format: 'date-time' });
}

/** A day: printed as midnight UTC; on input a date, or a date-time whose time is ignored. */
export function day() {
  return Type.String({ format: 'date-time', 'x-day': true });
}

/** Metadata. A value is a scalar, or an array or object of scalars. A write replaces all of it. */
export function metadata() {
  return Type.Unsafe<Metadata>({ type: 'object', additionalProperties: true, 'x-metadata': true });
}

export type MetadataScalar = string | number | boolean | null;
export type Metadata = Record<string, MetadataScalar | MetadataScalar[] | Record<string, MetadataScalar>>;

/** Free-form key-value pairs; `[]` is accepted as the empty map. The keys in `known` are validated. */
export function map(
  options: { emptyAsArray?: boolean; description?: string; known?: Readonly<Record<string, TSchema>> } = {},
) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    'x-map': true,
    ...(options.emptyAsArray ? { 'x-empty-as-array': true } : {}),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.known ? { properties: options.known } : {}),
  });
}

export function listOf<Item extends TSchema>(item: Item, maxItems = 1000) {
  return Type.Array(item, { maxItems });
}

/** The same schema, but null is allowed. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values } = schema as { type?: string; enum?: readonly unknown[] };
  return Type.Unsafe<Static<Schema> | null>({
    ...schema,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  });
}

export const optional = Type.Optional;
export const object = Type.Object;

/** The same fields, all optional. */
export function allOptional<Members extends TProperties>(members: Members) {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, optional(schema)])) as {
    [Name in keyof Members]: TOptional<Members[Name]>;
  };
}

/** Marks a computed or nested field: lists cannot sort or search by it. */
export function derived<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, 'x-derived': true };
}

/** Marks a value that the platform counts or records. Its changes do not make an `If-Match` outdated. */
export function observed<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, 'x-observed': true };
}

function describe(description: string | undefined) {
  return description ? { description } : {};
}
