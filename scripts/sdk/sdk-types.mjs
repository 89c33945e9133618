/**
 * @typedef {object} Schema
 * @property {string | readonly string[]} [type]
 * @property {readonly unknown[]} [enum]
 * @property {unknown} [const]
 * @property {string} [description]
 * @property {Schema} [items]
 * @property {Readonly<Record<string, Schema>>} [properties]
 * @property {readonly string[]} [required]
 * @property {boolean | Schema} [additionalProperties] what a map holds, where that is known
 * @property {boolean} [x-metadata]
 * @property {boolean} [x-map] any members; `properties` has those that Foyer knows
 * @property {boolean} [x-open] whether an installation may know more values than `enum`
 *
 * @typedef {object} Resource
 * @property {string} object
 * @property {Readonly<Record<string, Schema>>} fields
 * @property {Readonly<Record<string, unknown>>} includes
 *
 * @typedef {object} Endpoint
 * @property {string} method
 * @property {string} path
 * @property {string} summary
 * @property {string} [description]
 * @property {boolean} [hasUnprefixedPath]
 * @property {boolean} [csv]
 * @property {Readonly<Record<string, unknown>>} [params]
 * @property {Schema} [query]
 * @property {Schema} [body]
 * @property {readonly string[]} [file] media types of the body, instead of JSON
 * @property {readonly string[]} [errors]
 * @property {{ kind: string, resource: Resource, custom?: Schema, schema: Schema, enveloped?: boolean }} answer
 */

/**
 * The module `operations.ts` of the SDK, without imports from the contract: it contains the types, with the descriptions
 * of operations and members, and the table of routes for calls.
 *
 * @param {{
 *   endpoints: Readonly<Record<string, Endpoint>>,
 *   eventTypes: readonly { readonly name: string, readonly description: string }[],
 *   resourcesByNoun: ReadonlyMap<string, Resource>,
 * }} contract
 * @returns {string}
 */
export function writeOperations({ endpoints, eventTypes, resourcesByNoun }) {
  const all = Object.entries(endpoints);
  const names = nameResources(all.map(([, { answer }]) => answer.resource).filter((resource) => resource));
  const routes = all.map(([name, { method, path, hasUnprefixedPath }]) => [
    name,
    { method, path, ...(hasUnprefixedPath ? { hasUnprefixedPath } : {}) },
  ]);
  return `import type { Query, Route } from './operation.ts';

${shared}
${[...names].map(([resource, name]) => resourceInterface(name, resource)).join('\n')}
export interface Operations {
${all.map(([name, endpoint]) => `${comment(sentencesOf(endpoint))}readonly ${name}: ${operation(endpoint, names)};`).join('\n')}
}

/** The \`data\` of each event. */
export interface EventContents {
${eventTypes
  .map(({ name, description }) => {
    const resource = resourcesByNoun.get(name.split('.')[0] ?? '');
    const contents = (resource && names.get(resource)) ?? 'Record<string, unknown>';
    return `${comment([description])}readonly '${name}': ${contents};`;
  })
  .join('\n')}
}

export const routes: Readonly<Record<keyof Operations, Route>> = ${JSON.stringify(Object.fromEntries(routes))};
`;
}

/** The types of the contract that have no value. */
const shared = `
export interface Meta {
  include: string[];
  custom: [] | { ignored_includes: string[] };
}

export interface Pagination {
  total?: number;
  count: number;
  per_page: number;
  current_page: number;
  total_pages?: number;
  next_cursor: string | null;
  links: { previous: string | null; next: string | null };
}

type MetadataScalar = string | number | boolean | null;
/** Key to scalar, or to one level of object or array of scalars. Replaced as a whole. */
export type Metadata = Record<string, MetadataScalar | MetadataScalar[] | Record<string, MetadataScalar>>;
`;

/**
 * @param {readonly Resource[]} resources
 * @returns {ReadonlyMap<Resource, string>}
 */
function nameResources(resources) {
  /** @type {Map<Resource, string>} */
  const names = new Map();
  for (const resource of resources) {
    const others = [...names.values()].filter((name) => name.startsWith(resource.object));
    if (!names.has(resource)) names.set(resource, unusedName(resource.object, others));
  }
  return names;
}

/**
 * @param {string} wanted
 * @param {readonly string[]} used
 */
function unusedName(wanted, used) {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}${number}`;
    if (!used.includes(name)) return name;
  }
}

/**
 * @param {string} name
 * @param {Resource} resource
 */
function resourceInterface(name, { fields, includes }) {
  const included = Object.keys(includes).map((include) => `readonly ${key(include)}?: { data: unknown };`);
  return `export interface ${name} {
${members({ properties: fields, required: Object.keys(fields).filter((field) => !isOptional(fields[field])) })}
${included.join('\n')}
}
`;
}

/** @param {Schema | undefined} schema */
function isOptional(schema) {
  return schema !== undefined && '~optional' in schema;
}

/**
 * @param {Endpoint} endpoint
 * @param {ReadonlyMap<Resource, string>} names
 */
function operation({ params = {}, body, file, query, answer, csv = false }, names) {
  const identifiers = Object.keys(params).map((name) => `readonly ${name}: string;`);
  const list = answer.kind === 'list';
  const ownQuery = query ? `Readonly<${type(query)}>` : 'Query';
  return `{
    readonly params: ${identifiers.length === 0 ? 'Record<never, never>' : `{ ${identifiers.join(' ')} }`};
    readonly body: ${file ? 'Blob' : body ? type(body) : 'undefined'};
    readonly query: ${query && list ? `Query & ${ownQuery}` : ownQuery};
    readonly answer: ${answerType(answer, names)};
    readonly isList: ${list};
    readonly hasCsv: ${csv};
  }`;
}

/**
 * @param {Endpoint['answer']} answer
 * @param {ReadonlyMap<Resource, string>} names
 */
function answerType({ kind, resource, custom, schema, enveloped }, names) {
  if (kind === 'empty') return 'undefined';
  if (kind === 'event-stream') return 'string';
  if (kind === 'object') return enveloped ? `{ data: ${type(schema)}; meta: Meta }` : type(schema);
  const name = names.get(resource);
  if (kind === 'list') return `{ data: ${name}[]; meta: Meta & { pagination?: Pagination } }`;
  return `{ data: ${name}; meta: ${custom ? `Omit<Meta, 'custom'> & { custom: ${type(custom)} }` : 'Meta'} }`;
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function type(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum && !schema['x-open']) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['unknown']);
  return types.map((name) => namedType(name, schema)).join(' | ');
}

/**
 * @param {string} name
 * @param {Schema} schema
 */
function namedType(name, schema) {
  if (name === 'integer') return 'number';
  if (name === 'array') return `Array<${schema.items ? type(schema.items) : 'unknown'}>`;
  if (name !== 'object') return name;
  if (schema.properties && !schema['x-map']) return members(schema) === '' ? 'object' : `{\n${members(schema)}\n}`;
  if (schema['x-metadata']) return 'Metadata';
  const { additionalProperties: held } = schema;
  return `Record<string, ${typeof held === 'object' ? type(held) : 'unknown'}>`;
}

/** @param {Schema} schema */
function members({ properties = {}, required = [] }) {
  return Object.entries(properties)
    .map(([name, member]) => {
      const optional = required.includes(name) ? '' : '?';
      return `${comment(member.description ? [member.description] : [])}${key(name)}${optional}: ${type(member)};`;
    })
    .join('\n');
}

/** @param {Endpoint} endpoint */
function sentencesOf({ method, path, summary, description, errors = [] }) {
  const refusals = errors.length > 0 ? [`Refusals: ${errors.map((code) => `\`${code}\``).join(', ')}.`] : [];
  return [`${summary}: \`${method} ${path}\`.`, ...(description ? [description] : []), ...refusals];
}

/** @param {readonly string[]} paragraphs */
function comment(paragraphs) {
  if (paragraphs.length === 0) return '';
  return `/** ${paragraphs.join('\n *\n * ').replaceAll('*/', '*\\/')} */\n`;
}

/** @param {string} name */
function key(name) {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
