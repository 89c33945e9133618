import type { TSchema } from 'typebox';
import type { Endpoint } from '../conventions/endpoint.ts';
import type { ListMembers, Parameter, Reference, Schema } from './document.ts';
import { publicMember } from './schema.ts';
import { fieldKind, isFreeText, type Resource } from '../conventions/resource.ts';

/** The query parameters that are the same on every list. */
export const listParameters: Readonly<Record<string, Parameter>> = {
  sortedBy: query(
    'sortedBy',
    'Direction of `orderBy`: `asc` or `desc`. For several fields, give one direction each in the same order, separated by `,` or `;`. A missing direction is the same as the first.',
    { type: 'string', default: 'asc' },
    'desc',
  ),
  limit: query(
    'limit',
    'Rows per page; the setting `default_page_size` by default. `0` streams every match, without `meta.pagination`; if an error occurs, the stream breaks off.',
    { type: 'integer', minimum: 0, maximum: 1000, default: 10 },
    25,
  ),
  page: query('page', 'Number of the page. A page beyond the end has no rows and the correct totals.', {
    type: 'integer',
    minimum: 1,
    default: 1,
  }),
  cursor: query(
    'cursor',
    '`meta.pagination.next_cursor` of the previous page, with the same order and search. Later pages cost no more than the first.',
    { type: 'string' },
  ),
  count: query('count', '`false` leaves out `total` and `total_pages`, so that the matches are not counted.', {
    type: 'boolean',
    default: true,
  }),
  searchJoin: query('searchJoin', 'Whether one segment of `search` must match or all of them.', {
    type: 'string',
    enum: ['or', 'and'],
    default: 'or',
  }),
  skipCache: query('skipCache', '`true` or `1` forces a fresh read.', { type: 'boolean', default: false }),
};

/**
 * The query parameters of the endpoint: those that it declares, those of lists, and `include` and `filter` if it
 * returns resources.
 */
export function queryParameters(endpoint: Endpoint): (Parameter | Reference)[] {
  return [...ownParameters(endpoint), ...commonParameters(endpoint)];
}

function ownParameters({ query: declared }: Endpoint): Parameter[] {
  if (!declared) return [];
  const { required = [] } = declared as { required?: string[] };
  return Object.entries(declared.properties as Record<string, TSchema>).map(([name, member]) => {
    const { description = '', ...schema } = publicMember(name, member, 'request');
    return { name, in: 'query', required: required.includes(name), description, schema };
  });
}

function commonParameters({ answer }: Endpoint): (Parameter | Reference)[] {
  if (answer.kind === 'empty' || (answer.kind === 'object' && !answer.enveloped)) return [];
  const filter = query(
    'filter',
    'Names of the members to return, separated by `,` or `;`. Applies to included resources, too; the name of a relationship returns all of it.',
    { type: 'string' },
    answer.kind === 'object' ? undefined : filterExample(answer.resource),
  );
  if (answer.kind === 'object') return [filter];
  const include = includeParameter(answer.resource);
  if (answer.kind === 'resource') return [...include, filter];
  const members = listMembers(answer.resource);
  return [
    orderBy(members),
    parameterReference('sortedBy'),
    parameterReference('limit'),
    parameterReference('page'),
    parameterReference('cursor'),
    parameterReference('count'),
    search(members),
    searchFields(members),
    parameterReference('searchJoin'),
    ...include,
    filter,
    parameterReference('skipCache'),
  ];
}

export function listMembers(resource: Resource): ListMembers {
  const fields = Object.entries(resource.fields);
  return {
    fields: fields.filter(([, schema]) => fieldKind(schema) !== null).map(([name]) => name),
    freeText: fields.filter(([, schema]) => isFreeText(schema)).map(([name]) => name),
    includes: Object.keys(resource.includes),
  };
}

function orderBy({ fields }: ListMembers): Parameter {
  const sortKey = fields.includes('created_at') ? 'created_at' : (fields[0] ?? 'id');
  return query(
    'orderBy',
    `Fields to sort by, separated by \`,\` or \`;\`, at most 10, each once. Newest first by default. Fields: ${names(fields)}.`,
    { type: 'string' },
    sortKey,
  );
}

function search({ fields, freeText }: ListMembers): Parameter {
  const keywords =
    freeText.length > 0
      ? ` A segment without a field is searched as free text: each word must occur in one of ${names(freeText)}.`
      : '';
  return query(
    'search',
    `Segments separated by \`;\`; \`field:value\` searches that field.${keywords} Text fields match when they contain the value, dates match the whole day, and all other fields match when they equal the value. At most 512 characters and 10 keywords, where each word of free text and each value counts as one. Fields: ${names(fields)}.`,
    { type: 'string' },
  );
}

function searchFields({ fields }: ListMembers): Parameter {
  const field = fields.includes('created_at') ? 'created_at' : (fields[0] ?? 'id');
  return query(
    'searchFields',
    'Another operator for a field of `search`, as `field:operator`: `=`, `!=`, `like`, `in`, `between`, `>`, `>=`, `<` or `<=`. At most 512 characters.',
    { type: 'string' },
    `${field}:between`,
  );
}

function includeParameter(resource: Resource): Parameter[] {
  const available = Object.keys(resource.includes);
  if (available.length === 0) return [];
  return [
    query(
      'include',
      `Relationships to include, separated by \`,\`, nested with \`.\`, at most four deep and 20 in all: ${names(available)}. A path that returns to a type that it already contains is ignored and listed in \`meta.custom.ignored_includes\`. A response can include at most 10,000 objects, counting repetitions, and at most 64 MiB of distinct objects. A read that would exceed this is rejected with \`include-too-large\`; the response to a write omits the relationships and lists them in \`ignored_includes\`.`,
      { type: 'string' },
      available.slice(0, 2).join(','),
    ),
  ];
}

function filterExample(resource: Resource): string {
  const fieldNames = Object.keys(resource.fields).filter((name) => !['object', 'id', 'uuid', 'ulid'].includes(name));
  return ['id', ...fieldNames.slice(0, 2)].join(',');
}

function names(fields: readonly string[]): string {
  return fields.map((field) => `\`${field}\``).join(', ');
}

function parameterReference(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

function query(name: string, description: string, schema: Schema, example?: unknown): Parameter {
  return {
    name,
    in: 'query',
    required: false,
    description,
    schema,
    ...(example === undefined ? {} : { example }),
  };
}
