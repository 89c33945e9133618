import { isObserved, type Resource } from '@foyer/contract/conventions/resource.ts';
import { includePaths, parseInclude } from '../../list-query/include.ts';
import { isTooLarge, loadIncludes, maximumIncluded } from '../../list-query/load-includes.ts';
import { type FieldFilter, parseFilter, printRow } from '../../list-query/print-row.ts';
import { inChunks, printRows } from '../../list-query/print-rows.ts';
import { type AnswerContext, checkClientOf, metaOf } from './answer-context.ts';
import type { Result } from '../input/call.ts';
import { createDigest, entityTag, entityTagOfChunks } from './entity-tag.ts';

type RowResult = Extract<Result, { kind: 'row' }>;

interface PrintedResource {
  readonly body: string | AsyncIterable<string>;
  readonly etag: string;
}

/** One resource with its includes and its entity tag. */
export async function printResource(result: RowResult, context: AnswerContext): Promise<PrintedResource> {
  if (isPlain(context)) return await printWhole(result, context);
  const { view, custom } = result;
  const { loaded, ignored } = await load(result, context);
  const meta = JSON.stringify(metaOf(view.resource, ignored, custom));
  const printOptions = { reader: context.reader, filter: parseFilter(context.query['filter']) };
  function* pieces(): Generator<string> {
    yield '{"data":';
    yield* printRows(loaded, printOptions);
    yield `,"meta":${meta}}`;
  }
  return await printWithTag(pieces, printPlain(result, context), context);
}

/** All members of a resource without includes. */
async function printWhole({ view, row, custom }: RowResult, { reader }: AnswerContext): Promise<PrintedResource> {
  await view.hydrate?.([row as never], reader);
  const data = printRow(view as never, row, reader, null);
  const body = JSON.stringify({ data, meta: metaOf(view.resource, [], custom) });
  const members = writtenMembers(view.resource);
  if (members === null) return { body, etag: entityTag(body, body) };
  const entries = Object.entries(data).filter(([name]) => members.has(name));
  const plain = JSON.stringify({ data: Object.fromEntries(entries), meta: metaOf(view.resource, []) });
  return { body, etag: entityTag(plain, body) };
}

/** Whether the request has neither includes nor a filter. */
function isPlain(context: AnswerContext): boolean {
  const { query } = context;
  return declaredIncludes(context).length === 0 && query['include'] === undefined && query['filter'] === undefined;
}

function declaredIncludes({ endpoint: { answer } }: AnswerContext): readonly string[] {
  return answer.kind === 'resource' ? (answer.includes ?? []) : [];
}

async function load({ view, row }: RowResult, context: AnswerContext) {
  const declared = declaredIncludes(context);
  const requested = includePaths(context.query['include']);
  const limits = { included: maximumIncluded, checkClient: checkClientOf(context) };
  const loadPaths = async (paths: readonly string[]) => {
    const { tree, ignored } = parseInclude(paths, view, context.reader);
    const read = async () => await loadIncludes({ view, rows: [row] }, tree, context.reader, limits);
    // A write does not wait here, since it may hold locks.
    if (context.endpoint.method !== 'GET' || paths.length === 0) return { loaded: (await read()).loaded, ignored };
    const { loaded, bytes } = await context.inPageSlot(async () => {
      if (requested.length > 0) context.checkHeldRows();
      return await read();
    });
    context.holdRows(bytes);
    return { loaded, ignored };
  };
  try {
    return await loadPaths([...declared, ...requested]);
  } catch (error) {
    // The write is already done: its answer omits the requested includes.
    if (context.endpoint.method === 'GET' || !isTooLarge(error)) throw error;
    const { loaded } = await loadPaths(declared);
    return { loaded, ignored: [...new Set(requested)] };
  }
}

/** A longer answer is not held in memory: it is serialized twice, for its tag and for sending. */
const maxHeldLength = 1_048_576;

async function printWithTag(
  pieces: () => Iterable<string>,
  plain: string,
  context: AnswerContext,
): Promise<PrintedResource> {
  const checkClient = checkClientOf(context);
  const digest = createDigest();
  let buffered: string[] = [];
  let length = 0;
  for await (const chunk of inChunks(pieces())) {
    checkClient();
    digest.update(chunk);
    length += chunk.length;
    if (length <= maxHeldLength) buffered.push(chunk);
    else buffered = [];
  }
  if (length > maxHeldLength) return { body: inChunks(pieces()), etag: entityTagOfChunks(plain, digest) };
  const body = buffered.join('');
  return { body, etag: entityTag(plain, body) };
}

/** The state for conditional writes: the resource without includes, filters and observed members. */
export function printPlain(
  result: Extract<Result, { kind: 'row' | 'object' }>,
  context: Pick<AnswerContext, 'endpoint' | 'reader'>,
): string {
  if (result.kind === 'object') return printObject(result.value, context, null);
  const data = printRow(result.view as never, result.row, context.reader, writtenMembers(result.view.resource));
  return JSON.stringify({ data, meta: metaOf(result.view.resource, []) });
}

const writtenByResource = new WeakMap<Resource, FieldFilter>();

/** The members that are not observed; null if no member is observed. */
function writtenMembers(resource: Resource): FieldFilter {
  let filter = writtenByResource.get(resource);
  if (filter === undefined) {
    const fields = Object.entries(resource.fields);
    const names = fields.filter(([, schema]) => !isObserved(schema)).map(([name]) => name);
    filter = names.length === fields.length ? null : new Set(names);
    writtenByResource.set(resource, filter);
  }
  return filter;
}

export function printObject(
  value: Record<string, unknown>,
  { endpoint }: Pick<AnswerContext, 'endpoint'>,
  filter: FieldFilter,
): string {
  if (endpoint.answer.kind !== 'object') throw new Error(`${endpoint.path} does not respond with an object`);
  const declaredNames = Object.keys(endpoint.answer.schema.properties);
  if (!endpoint.answer.enveloped)
    return JSON.stringify(Object.fromEntries(declaredNames.map((name) => [name, value[name]])));
  const printedNames = declaredNames.filter((name) => filter === null || filter.has(name));
  return JSON.stringify({
    data: Object.fromEntries(printedNames.map((name) => [name, value[name]])),
    meta: { include: [], custom: [] },
  });
}
