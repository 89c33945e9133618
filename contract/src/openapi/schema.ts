import type { TObject, TSchema } from 'typebox';
import type { TextFormat } from '../conventions/field.ts';
import type { IdentifierPrefix } from '../conventions/identifier-prefixes.ts';
import type { Schema } from './document.ts';

/** Answers have one form of an identifier or day, requests accept several. */
export type Direction = 'answer' | 'request';

/** The object as JSON Schema 2020-12 without Foyer's own keywords; `example` is its first example. */
export function publicObject(schema: TObject, direction: Direction, example?: Record<string, unknown>): Schema {
  const properties = Object.entries(schema.properties as Record<string, TSchema>).map(
    ([name, member]) => [name, publicMember(name, member, direction)] as const,
  );
  const { required, description } = schema as { required?: string[]; description?: string };
  return {
    type: 'object',
    ...(description ? { description } : {}),
    properties: Object.fromEntries(properties),
    ...(required && required.length > 0 ? { required } : {}),
    ...(example ? { examples: [example] } : {}),
  };
}

export const identifierForms = {
  ulid: '^[0-7][0-9a-hjkmnp-tv-z]{25}$',
  id: (prefix: IdentifierPrefix) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
  /** The forms in which identifiers are accepted. */
  any: (...prefixes: readonly IdentifierPrefix[]) =>
    `^(?:(?:${prefixes.length === 1 ? prefixes[0] : `(?:${prefixes.join('|')})`}_)?[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`,
};

/** Maps whose known keys have their own schema. */
const describedMaps: Readonly<Record<string, string>> = {
  room_settings: 'RoomSettings',
  room_features: 'RoomFeatureValues',
  properties: 'ServiceProviderProperties',
};

interface Member {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly items?: TSchema;
  readonly properties?: Record<string, TSchema>;
  readonly 'x-prefix'?: IdentifierPrefix;
  readonly 'x-identifier-form'?: IdentifierPrefix;
  readonly 'x-day'?: boolean;
  readonly 'x-map'?: boolean;
  readonly 'x-metadata'?: boolean;
  readonly 'x-empty-as-array'?: boolean;
  readonly 'x-decimals'?: number;
}

export function publicMember(name: string, schema: TSchema, direction: Direction): Schema {
  const member = schema as Member;
  const isNullable = Array.isArray(member.type) && member.type.includes('null');
  if (member['x-metadata']) return reference('Metadata', isNullable, member.description);
  if (member['x-map']) return mapOf(name, member, direction, isNullable);
  if (member.properties) {
    const nested = publicObject(schema as TObject, direction);
    return isNullable ? { ...nested, type: ['object', 'null'] } : nested;
  }
  const { description, items } = member;
  const plain = Object.fromEntries(Object.entries(member).filter(([keyword]) => isPlain(keyword)));
  const translated = formatOf(name, member, direction);
  const sentences = [description, translated.description, decimalsOf(member)].filter((sentence) => sentence);
  return {
    ...plain,
    ...translated,
    ...(items ? { items: publicMember(name, items, direction) } : {}),
    ...(sentences.length > 0 ? { description: sentences.join(' ') } : {}),
  };
}

function isPlain(keyword: string): boolean {
  return !keyword.startsWith('x-') && !['format', 'description', 'items'].includes(keyword);
}

function reference(name: string, isNullable: boolean, description: string | undefined): Schema {
  const $ref = `#/components/schemas/${name}`;
  const annotations = description ? { description } : {};
  return isNullable ? { anyOf: [{ $ref }, { type: 'null' }], ...annotations } : { $ref, ...annotations };
}

function mapOf(name: string, member: Member, direction: Direction, isNullable: boolean): Schema {
  const component = describedMaps[name];
  if (component) return reference(component, isNullable, member.description);
  if (direction === 'answer' && member['x-empty-as-array']) {
    return { type: ['object', 'array'], maxItems: 0, additionalProperties: true, description: 'An empty map is `[]`.' };
  }
  const annotations = direction === 'request' ? { description: '`[]` is accepted as the empty map.' } : {};
  return { type: isNullable ? ['object', 'null'] : 'object', additionalProperties: true, ...annotations };
}

function decimalsOf(member: Member): string | undefined {
  return member['x-decimals'] === undefined ? undefined : `At most ${member['x-decimals']} decimals.`;
}

function formatOf(name: string, member: Member, direction: Direction): Schema {
  if (member.format === 'identifier') return identifierOf(member['x-prefix'], direction);
  if (member['x-identifier-form']) {
    return name === 'ulid' ? { pattern: identifierForms.ulid } : { format: 'uuid' };
  }
  if (member.format === 'date-time') return dateTimeOf(member['x-day'] === true, direction);
  if (member.format === undefined) return {};
  return textFormats[member.format as TextFormat] ?? { format: member.format };
}

function identifierOf(prefix: IdentifierPrefix | undefined, direction: Direction): Schema {
  if (!prefix) return {};
  return direction === 'answer'
    ? { pattern: identifierForms.id(prefix) }
    : { pattern: identifierForms.any(prefix), description: `An \`id\` (\`${prefix}_…\`), \`uuid\` or \`ulid\`.` };
}

function dateTimeOf(isDay: boolean, direction: Direction): Schema {
  if (direction === 'answer') {
    return { format: 'date-time', ...(isDay ? { description: 'A day, printed as midnight UTC.' } : {}) };
  }
  return {
    description: isDay ? 'A date, or a date-time whose time is ignored.' : 'A date-time; a date means midnight UTC.',
  };
}

const textFormats: Readonly<Record<TextFormat, Schema>> = {
  email: { format: 'email' },
  'http-url': { format: 'uri', description: 'An http or https address.' },
  'host-name': { format: 'hostname' },
  'host-label': {
    pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
    description: 'Letters, digits and hyphens.',
  },
  origin: { format: 'uri', description: 'An origin such as `https://example.com`.' },
  'time-zone': { description: 'A time zone of the IANA database.' },
  locale: { description: 'A language tag (BCP 47).' },
  currency: { pattern: '^[A-Za-z]{3}$', description: 'A currency code (ISO 4217).' },
  country: { pattern: '^[A-Za-z]{2}$', description: 'A country code (ISO 3166-1 alpha-2).' },
  color: { pattern: '^#[0-9A-Fa-f]{6}$', description: 'A colour such as `#2f5fd0`.' },
};
