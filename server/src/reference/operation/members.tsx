/** @jsxImportSource preact */
import { identifierPrefixes } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { Parameter, Schema } from '@foyer/contract/openapi/document.ts';
import { identifierForms } from '@foyer/contract/openapi/schema.ts';
import { Prose } from '../prose.tsx';
import { pagesOfSchemas, schemaName } from '../read-document.ts';
import { Link } from '../reference-context.tsx';

interface MembersProperties {
  readonly schema: Schema;
  readonly marksRequired: boolean;
  /** The callers for whom a member is reserved, by the name of the member. */
  readonly reservedFor?: ReadonlyMap<string, string>;
}

/** The members of a body or an object, one row each. */
export function Members({ schema, marksRequired, reservedFor }: MembersProperties) {
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !isRelationship(member));
  return (
    <table class="members">
      <tbody>
        {members.map(([name, member]) => (
          <Row
            key={name}
            name={name}
            member={member}
            isRequired={marksRequired && required.has(name)}
            reservedForCallers={reservedFor?.get(name)}
          />
        ))}
      </tbody>
    </table>
  );
}

export function Parameters({ parameters }: { parameters: readonly Parameter[] }) {
  return (
    <table class="members">
      <tbody>
        {parameters.map(({ name, schema, description, required }) => (
          <Row
            key={name}
            name={name}
            member={{ ...schema, description }}
            isRequired={required && schema.pattern === undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

/** Relationships, which are present only with `include`. */
export function relationshipsOf(schema: Schema): { name: string; target: string; isMany: boolean }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (!isRelationship(member)) return [];
    const data = member.properties?.['data'] ?? {};
    const reference = data.items?.$ref ?? data.anyOf?.[0]?.$ref ?? '';
    return [{ name, target: schemaName(reference), isMany: data.type === 'array' }];
  });
}

function isRelationship(member: Schema): boolean {
  return member.description?.startsWith('Only with `include=') === true;
}

interface RowProperties {
  name: string;
  member: Schema;
  isRequired: boolean;
  reservedForCallers?: string | undefined;
}

function Row({ name, member, isRequired, reservedForCallers }: RowProperties) {
  const nested = member.properties ?? member.items?.properties;
  const prefix = prefixes.get(member.pattern ?? '');
  return (
    <tr>
      <th>
        <code>{name}</code>
        {isRequired && <em>required</em>}
        {reservedForCallers && <span>{reservedForCallers}</span>}
      </th>
      <td>
        <small>
          {prefix ? <Identifier prefix={prefix} /> : <Type schema={member} />}
          {limitsOf(member)}
          <Choices schema={member} />
        </small>
        {member.description && prefix === undefined && (
          <p>
            <Prose text={member.description} />
          </p>
        )}
        {nested && <Members schema={{ properties: nested }} marksRequired={false} />}
      </td>
    </tr>
  );
}

/** The type of an identifier, from the patterns of responses and of requests. */
const prefixes: ReadonlyMap<string, string> = new Map(
  identifierPrefixes.flatMap((prefix) => [
    [identifierForms.id(prefix), prefix],
    [identifierForms.any(prefix), prefix],
  ]),
);

function Identifier({ prefix }: { prefix: string }) {
  return (
    <>
      identifier <code>{prefix}_…</code>
    </>
  );
}

function Type({ schema }: { schema: Schema }) {
  const reference = schema.$ref ?? schema.anyOf?.find(({ $ref }) => $ref)?.$ref;
  if (reference) {
    const name = schemaName(reference);
    return (
      <>
        <Link to={pagesOfSchemas[name] ?? name}>{name === 'Metadata' ? 'metadata' : name}</Link>
        {schema.anyOf && ' or null'}
      </>
    );
  }
  return <>{typeOf(schema)}</>;
}

function typeOf(schema: Schema): string {
  const types = typeof schema.type === 'string' ? [schema.type] : [...(schema.type ?? ['string'])];
  const isChoice = schema.enum !== undefined || schema.const !== undefined;
  const names = types.map((type) => {
    if (type === 'string' && isChoice) return schema.const === undefined ? 'one of' : 'always';
    if (type === 'array') return schema.items ? `list of ${plural(typeOf(schema.items))}` : 'empty list';
    if (schema.pattern === identifierForms.ulid) return 'ulid';
    if (type === 'string') return formatNames[schema.format ?? ''] ?? 'string';
    return type;
  });
  return names.length > 2 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join(' or ');
}

function plural(type: string): string {
  return `${type}s`;
}

const formatNames: Readonly<Record<string, string>> = {
  'date-time': 'date-time',
  email: 'email address',
  uri: 'URL',
  uuid: 'uuid',
  hostname: 'host name',
};

const maxInteger = 2_147_483_647;

function limitsOf(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, maxItems, default: fallback } = schema;
  const parts: string[] = [];
  if (maxLength !== undefined) parts.push(`${range(minLength ?? 0, maxLength)} characters`);
  if (maximum !== undefined && maximum < maxInteger) parts.push(range(minimum ?? 0, maximum));
  else if (minimum !== undefined) parts.push(`from ${minimum}`);
  if (maxItems) parts.push(`at most ${maxItems}`);
  if (fallback !== undefined) parts.push(`default ${String(fallback)}`);
  return parts.map((part) => ` · ${part}`).join('');
}

function range(from: number, to: number): string {
  if (from === to) return String(from);
  return from > 0 ? `${from}–${to}` : `up to ${to.toLocaleString('en')}`;
}

function Choices({ schema }: { schema: Schema }) {
  const choices = (schema.enum ?? schema.items?.enum ?? []).filter((choice) => choice !== null);
  const values = schema.const === undefined ? choices : [schema.const];
  if (values.length === 0) return null;
  return (
    <>
      {values.map((value) => (
        <>
          {' '}
          <code>{String(value)}</code>
        </>
      ))}
    </>
  );
}
