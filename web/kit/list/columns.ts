import type { TSchema } from 'typebox';
import { type FieldKind, fieldKind, identifierPrefixOf, type Resource } from '@foyer/contract/conventions/resource.ts';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { labelOf } from '../format/label.ts';

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind | 'list' | 'relationship';
  readonly sortable: boolean;
  /** The kind of resource that it refers to. */
  readonly refersTo: IdentifierPrefix | null;
  /** The relationship that includes the referenced resource. */
  readonly include: string | null;
  readonly choices: readonly string[];
}

/** Every member of a resource that a table can show, in the order of the contract. */
export function columnsOf(resource: Resource, prefixOfObject: (object: string) => IdentifierPrefix | null): Column[] {
  return Object.entries(resource.fields).flatMap(([name, schema]) => {
    if (hiddenMembers.has(name) || isLong(schema)) return [];
    const kind = fieldKind(schema);
    if (kind === null)
      return isTextList(schema) ? [describe(name, schema, { kind: 'list', refersTo: null, include: null })] : [];
    const refersTo = name === 'id' ? null : kind === 'identifier' ? identifierPrefixOf(schema) : null;
    const include = refersTo === null ? null : includeFor(resource, name, refersTo, prefixOfObject);
    return [describe(name, schema, { kind, refersTo, include })];
  });
}

/** A column with the names of related resources. */
export function relationshipColumn(name: string, label: string): Column {
  return { name, label, kind: 'relationship', sortable: false, refersTo: null, include: name, choices: [] };
}

/** The relationships that a table needs to show names of referenced resources. */
export function includesOf(columns: readonly Column[]): string | undefined {
  const names = columns.flatMap(({ include }) => (include === null ? [] : [include]));
  return names.length === 0 ? undefined : names.join(',');
}

export function choicesOf(schema: TSchema): string[] {
  const { enum: values } = schema as { enum?: readonly unknown[] };
  return (values ?? []).filter((value) => typeof value === 'string');
}

function describe(name: string, schema: TSchema, column: Pick<Column, 'kind' | 'refersTo' | 'include'>): Column {
  return { ...column, name, label: labelOf(name), sortable: column.kind !== 'list', choices: choicesOf(schema) };
}

const hiddenMembers = new Set(['object', 'uuid', 'ulid']);

function isLong(schema: TSchema): boolean {
  return (schema as { 'x-multiline'?: boolean })['x-multiline'] === true;
}

function isTextList(schema: TSchema): boolean {
  const { type, items } = schema as { type?: string; items?: { type?: string } };
  return type === 'array' && items?.type === 'string';
}

/** `customer` for `customer_id`; else the first relationship to the same type, as `customer` for `subscriber_id`. */
function includeFor(
  resource: Resource,
  name: string,
  prefix: IdentifierPrefix,
  prefixOfObject: (object: string) => IdentifierPrefix | null,
): string | null {
  const candidates = Object.entries(resource.includes)
    .filter(([, relationship]) => !relationship.many && prefixOfObject(relationship.object) === prefix)
    .map(([relationship]) => relationship);
  return candidates.find((relationship) => `${relationship}_id` === name) ?? candidates[0] ?? null;
}
