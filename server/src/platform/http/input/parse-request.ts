import { type Endpoint, type FileBody, isTextParam, prefixesOf } from '@foyer/contract/conventions/endpoint.ts';
import type { FastifyRequest } from 'fastify';
import { Failure, type FieldFaults, invalidInput, notFound } from '../../failures.ts';
import { parseIdentifier } from '../../identity/identifier.ts';
import type { QueryParameters } from '../../list-query/list-request.ts';
import type { Principal } from './call.ts';
import { parseInput } from './parse-input.ts';
import { parseLongInput } from './parse-long-input.ts';

export const formType = 'application/x-www-form-urlencoded';
export const mustBeJson = 'The body must be JSON, with the content type application/json.';

export function parseParams(endpoint: Endpoint, values: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, param] of Object.entries(endpoint.params ?? {})) {
    if (isTextParam(param)) {
      params[name] = values[name] ?? '';
      if (!new RegExp(param.pattern).test(params[name]))
        throw invalidInput({ [name]: [`The ${name} format is invalid.`] });
      continue;
    }
    const candidates = prefixesOf(param).map((prefix) => parseIdentifier(prefix, values[name] ?? ''));
    const uuid = candidates.find((candidate) => candidate !== null);
    if (!uuid) throw notFound();
    params[name] = uuid;
  }
  return params;
}

/** The id of the row that a PATCH changes; null if the path does not name it. */
export function changedId(
  endpoint: Endpoint,
  params: Record<string, string>,
  principal: Principal | null,
): string | null {
  if (endpoint.method !== 'PATCH' || endpoint.answer.kind !== 'resource') return null;
  const { prefix } = endpoint.answer.resource;
  const idParam = Object.entries(endpoint.params ?? {}).find(([, param]) => param === prefix);
  if (idParam) return params[idParam[0]] ?? null;
  return principal?.kind === prefix ? principal.id : null;
}

export async function parseBody(
  endpoint: Endpoint,
  request: FastifyRequest,
  id: string | null,
): Promise<{ body: Record<string, unknown> | undefined; immutable: Record<string, unknown> }> {
  if (endpoint.file) return { body: fileOf(endpoint.file, request), immutable: {} };
  if (!endpoint.body) return { body: undefined, immutable: {} };
  const isForm = request.headers['content-type']?.startsWith(formType) === true;
  if (isForm && !endpoint.form) throw new Failure('unsupported-media-type', mustBeJson);
  const mode = endpoint.method === 'PATCH' ? 'update' : 'create';
  const parsed = await parseLongInput(endpoint.body, request.body, mode);
  const immutable = endpoint.immutable ? parseInput(endpoint.immutable, request.body, mode) : { values: {} };
  const faults: FieldFaults = {
    ...(id === null ? {} : identityFaults(endpoint, request.body, id)),
    ...('faults' in parsed ? parsed.faults : {}),
    ...('faults' in immutable ? immutable.faults : {}),
  };
  if (!('values' in parsed) || !('values' in immutable) || Object.keys(faults).length > 0)
    throw invalidInput(faults, 'validation-failed', 'faults' in parsed ? parsed.unnamed : 0);
  return { body: parsed.values, immutable: immutable.values };
}

/** @throws 415 for a body of another type, 422 for an empty one */
function fileOf(types: readonly string[], { body }: FastifyRequest): Record<string, unknown> {
  if (body === undefined) throw invalidInput({ file: ['Send the file as the body of the request.'] });
  if (!isFile(body)) throw new Failure('unsupported-media-type', mustBeFile(types));
  if (body.bytes.length === 0) throw invalidInput({ file: ['The file is empty.'] });
  return { ...body };
}

function isFile(body: unknown): body is FileBody {
  return typeof body === 'object' && body !== null && 'bytes' in body && body.bytes instanceof Uint8Array;
}

export function mustBeFile(types: readonly string[]): string {
  return `The body must be a file with one of the content types ${types.join(', ')}.`;
}

/** Identity members may be sent back, but not changed. */
function identityFaults(endpoint: Endpoint, body: unknown, id: string): FieldFaults {
  if (endpoint.answer.kind !== 'resource' || typeof body !== 'object' || body === null) return {};
  const { prefix } = endpoint.answer.resource;
  const changed = Object.entries(body).filter(
    ([name, value]) =>
      identityMembers.has(name) && !(typeof value === 'string' && parseIdentifier(prefix, value.trim()) === id),
  );
  return Object.fromEntries(changed.map(([name]) => [name, [`The ${name} cannot be changed.`]]));
}

const identityMembers: ReadonlySet<string> = new Set(['id', 'uuid', 'ulid']);

/** The last value of each query parameter, which may be repeated. */
export function singleValues(query: Record<string, unknown>): QueryParameters {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') values[name] = last;
  }
  return values;
}
