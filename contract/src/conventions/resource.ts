import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { derived, identifier, instant, text } from './field.ts';
import { type NounName, nouns } from '../resources/nouns.ts';
import type { IdentifierPrefix } from './identifier-prefixes.ts';
import type { PermissionName } from './permissions.ts';

/** An object type of the API, its members, and the relationships that `include` can add. */
export interface Resource<Fields extends TProperties = TProperties, Name extends NounName | null = NounName | null> {
  /** Null for a `variant`, which has no noun of its own. */
  readonly noun: Name;
  /** The value of the member `object`. */
  readonly object: string;
  readonly prefix: IdentifierPrefix;
  readonly fields: Fields;
  readonly includes: Readonly<Record<string, Relationship>>;
  /** The permission to read it, also as an included resource. Null if access to the endpoint is enough. */
  readonly readPermission: PermissionName | null;
}

export interface Relationship {
  readonly object: string;
  readonly many: boolean;
}

/** The nouns that are resources. */
type ResourceName = {
  [Name in NounName]: (typeof nouns)[Name] extends { object: string; prefix: string } ? Name : never;
}[NounName];

export function resource<Name extends ResourceName, Fields extends TProperties>(
  noun: Name,
  definition: Pick<Resource<Fields>, 'fields' | 'includes' | 'readPermission'>,
): Resource<Fields, Name> {
  const { object, prefix } = nouns[noun];
  return { noun, object, prefix, ...definition };
}

/** The resource with more members, which only some endpoints print. */
export function variant<Fields extends TProperties>(
  base: Resource,
  changes: { readonly fields: Fields; readonly readPermission?: null },
): Resource<Fields, null> {
  return { ...base, ...changes, noun: null };
}

export function many(object: string): Relationship {
  return { object, many: true };
}

export function one(object: string): Relationship {
  return { object, many: false };
}

/** The members that every stored resource begins with. */
export function identity<Name extends ResourceName>(noun: Name) {
  const { object, prefix } = nouns[noun];
  return {
    object: derived(Type.Unsafe<(typeof nouns)[Name]['object']>({ type: 'string', const: object })),
    id: identifier(prefix),
    uuid: Type.String({ format: 'uuid', 'x-identifier-form': prefix }),
    ulid: Type.String({ 'x-identifier-form': prefix }),
  };
}

/** The members that every stored resource ends with. */
export function timestamps() {
  return {
    created_at: instant(),
    updated_at: instant(),
    readable_created_at: derived(text()),
    readable_updated_at: derived(text()),
  };
}

/** The resource as callers read it: its members, and included resources. */
export type ResourceObject<R extends Resource> = Static<TObject<R['fields']>> & {
  readonly [Name in keyof R['includes']]?: { data: unknown };
};

export type FieldKind = 'identifier' | 'text' | 'enum' | 'boolean' | 'number' | 'instant' | 'day';

/** How a member behaves in `orderBy` and `search`; null for maps, lists and computed members. */
export function fieldKind(schema: TSchema): FieldKind | null {
  const member = schema as {
    type?: string | string[];
    format?: string;
    enum?: unknown[];
    'x-day'?: boolean;
    'x-derived'?: boolean;
    'x-identifier-form'?: IdentifierPrefix;
  };
  const type = Array.isArray(member.type) ? member.type.find((name) => name !== 'null') : member.type;
  if (member['x-derived']) return null;
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  if (type !== 'string') return null;
  if (member.format === 'identifier' || member['x-identifier-form']) return 'identifier';
  if (member.format === 'date-time') return member['x-day'] ? 'day' : 'instant';
  return member.enum ? 'enum' : 'text';
}

export function identifierPrefixOf(schema: TSchema): IdentifierPrefix | null {
  const member = schema as {
    'x-prefix'?: IdentifierPrefix;
    'x-identifier-form'?: IdentifierPrefix;
  };
  return member['x-prefix'] ?? member['x-identifier-form'] ?? null;
}

export function isFreeText(schema: TSchema): boolean {
  return (schema as { 'x-free-text'?: boolean })['x-free-text'] === true;
}

/** Whether the field changes without a write to the resource, so that it does not count for `If-Match`. */
export function isObserved(schema: TSchema): boolean {
  return (schema as { 'x-observed'?: boolean })['x-observed'] === true;
}
