import type { TObject, TSchema } from 'typebox';
import type { IdentifierPrefix } from '../../conventions/identifier-prefixes.ts';
import { bodyExamples } from './example-bodies.ts';
import { exampleIdentifier } from './example-identifier.ts';
import { memberExamples, nullInExamples, objectExamples } from './example-values.ts';

/** A realistic object that matches the schema; `kind` selects the values of that resource. */
export function exampleObject(kind: string, schema: TObject): Record<string, unknown> {
  const members = Object.entries(schema.properties as Record<string, TSchema>);
  return Object.fromEntries(members.map(([name, member]) => [name, exampleMember(kind, name, member)]));
}

/** A request body: the example of the operation, otherwise the required members, otherwise the first two. */
export function exampleBody(operation: string, kind: string, schema: TObject): Record<string, unknown> {
  const declared = bodyExamples[operation];
  if (declared) return declared;
  const { required = [] } = schema as { required?: string[] };
  const names = required.length > 0 ? required : Object.keys(schema.properties).slice(0, 2);
  return Object.fromEntries(names.map((name) => [name, exampleMember(kind, name, schema.properties[name] ?? {})]));
}

/**
 * The resource after a write, with the sent values. Ids, timestamps and most objects keep their example, because the API
 * does not return them as they were sent.
 */
export function withSentValues(
  printed: Record<string, unknown>,
  sent: Record<string, unknown>,
): Record<string, unknown> {
  const changes = Object.entries(sent).flatMap(([name, value]) => {
    const before = printed[name];
    if (name.endsWith('_id') || name.endsWith('_at') || !Object.hasOwn(printed, name)) return [];
    if (name === 'value') return [[name, String(value)] as const];
    const isReplaced =
      typeof value === typeof before && (typeof value !== 'object' || /_metadata$|_settings$/.test(name));
    return isReplaced ? [[name, value] as const] : [];
  });
  return { ...printed, ...Object.fromEntries(changes) };
}

interface Member {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly items?: TSchema;
  readonly properties?: Record<string, TSchema>;
  readonly 'x-prefix'?: IdentifierPrefix;
  readonly 'x-identifier-form'?: IdentifierPrefix;
  readonly 'x-day'?: boolean;
  readonly 'x-empty-as-array'?: boolean;
}

function exampleMember(kind: string, name: string, schema: TSchema): unknown {
  const member = schema as Member;
  const types = typeof member.type === 'string' ? [member.type] : (member.type ?? []);
  const declared = objectExamples[kind]?.[name];
  if (declared !== undefined && (kind !== '' || fits(declared, member, types))) return declared;
  if (types.includes('null') && nullInExamples.has(name)) return null;
  if (member['x-prefix']) return exampleIdentifier(member['x-prefix']).id;
  if (member['x-identifier-form'])
    return exampleIdentifier(member['x-identifier-form'])[name === 'ulid' ? 'ulid' : 'uuid'];
  if (member.const !== undefined) return member.const;
  const memberExample = memberExamples[name];
  if (memberExample !== undefined && fits(memberExample, member, types)) return memberExample;
  if (member.enum) return member.enum[0];
  if (member.properties) return exampleObject(kind, schema as TObject);
  if (types.includes('array')) return member.items ? [exampleMember(kind, name, member.items)] : [];
  if (types.includes('object')) return member['x-empty-as-array'] ? [] : {};
  if (types.includes('boolean')) return false;
  if (types.includes('integer') || types.includes('number')) return member.minimum ?? 0;
  if (member.format === 'date-time')
    return member['x-day'] ? '2026-03-01T00:00:00.000000Z' : '2026-02-27T16:40:05.771930Z';
  return name.endsWith('_id') ? exampleIdentifier('room').id : name.replaceAll('_', ' ');
}

function fits(value: unknown, member: Member, types: readonly string[]): boolean {
  if (member.enum) return member.enum.includes(value);
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number') return types.includes('number') || types.includes('integer');
  return types.includes(typeof value);
}
