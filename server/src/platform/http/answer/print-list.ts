import { includePaths, parseInclude } from '../../list-query/include.ts';
import type { ListRequest } from '../../list-query/list-request.ts';
import { loadIncludes, loadStream, maximumIncluded } from '../../list-query/load-includes.ts';
import { parseFilter } from '../../list-query/print-row.ts';
import { inChunks, printRows } from '../../list-query/print-rows.ts';
import { type List, readPage, streamRows } from '../../list-query/run-list.ts';
import { type AnswerContext, checkClientOf, metaOf } from './answer-context.ts';

type Body = string | AsyncIterable<string>;

export async function printPage(list: List, limit: number, context: AnswerContext): Promise<Body> {
  const { view, request } = list;
  const { reader, query, totals } = context;
  const { tree, ignored } = parseInclude(includePaths(query['include']), view, reader);
  const limits = { included: maximumIncluded, checkClient: checkClientOf(context) };
  const { page, loaded, bytes } = await context.inPageSlot(async () => {
    limits.checkClient();
    if (limit > maxShortPageRows || Object.keys(tree).length > 0) context.checkHeldRows();
    const page = await readPage(list, limit, reader, totals);
    const { loaded, bytes } = await loadIncludes({ view, rows: page.rows }, tree, reader, limits);
    context.holdRows(bytes);
    return { page, loaded, bytes };
  });
  const links = linksOf(request, page.hasNext, page.pagination, context);
  const pagination = Object.assign(page.pagination, { links });
  const meta = Object.assign(metaOf(view.resource, ignored), { pagination });
  const printOptions = { reader, filter: parseFilter(query['filter']) };
  function* pieces(): Generator<string> {
    yield '{"data":[';
    yield* printRows(loaded, printOptions);
    yield `],"meta":${JSON.stringify(meta)}}`;
  }
  if (loaded.includes.length === 0 && bytes < maxBufferedLength) return [...pieces()].join('');
  return await textOrStream(inChunks(pieces()));
}

/** Streams all matches from a cursor, which is closed when the client disconnects. */
export async function streamList(list: List, context: AnswerContext): Promise<Body> {
  // HEAD has no body, so nothing is read.
  if (context.request.method === 'HEAD') return (async function* () {})();
  return await textOrStream(listChunks(list, context));
}

async function* listChunks({ view, scope, request }: List, context: AnswerContext): AsyncGenerator<string> {
  const { query } = context;
  const { tree, ignored } = parseInclude(includePaths(query['include']), view, context.reader);
  const snapshot = await context.openSnapshot();
  // Includes are read on the stream's own connection: streams that waited for a second one could deadlock.
  const reader = { ...context.reader, db: snapshot.db };
  const printOptions = { reader, filter: parseFilter(query['filter']) };
  let separator = '{"data":[';
  try {
    const batches = streamRows(view, scope, request, reader);
    for await (const loaded of loadStream({ view, batches }, tree, reader, checkClientOf(context))) {
      yield separator;
      yield* inChunks(printRows(loaded, printOptions));
      separator = ',';
    }
  } finally {
    await snapshot.close();
  }
  const opening = separator === ',' ? '' : separator;
  yield `${opening}],"meta":${JSON.stringify(metaOf(view.resource, ignored))}}`;
}

/**
 * A short text is returned whole. The first chunk of a longer text is produced before the status is sent, so that an
 * early failure still gets its status.
 */
async function textOrStream(chunks: AsyncGenerator<string, void>): Promise<Body> {
  const firstChunks: string[] = [];
  for (let length = 0; length < maxBufferedLength;) {
    const next = await chunks.next();
    if (next.done) return firstChunks.join('');
    firstChunks.push(next.value);
    length += next.value.length;
  }
  // Not a generator: a generator that is never read would not close `chunks`.
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () =>
        firstChunks.length > 0 ? { done: false, value: firstChunks.splice(0).join('') } : await chunks.next(),
      return: async () => await chunks.return(),
    }),
  };
}

const maxBufferedLength = 65_536;
/** At most this many rows without includes are loaded for every caller, even for one with many unread answers. */
const maxShortPageRows = 100;

function linksOf(
  request: ListRequest,
  hasNext: boolean,
  pagination: { next_cursor: string | null; total_pages?: number },
  context: AnswerContext,
): { previous: string | null; next: string | null } {
  if (request.cursor) {
    return {
      previous: null,
      next: pagination.next_cursor ? linkTo(context, 'cursor', pagination.next_cursor) : null,
    };
  }
  const previous = request.page > 1 ? Math.min(request.page - 1, pagination.total_pages ?? request.page - 1) : null;
  return {
    previous: previous === null ? null : linkTo(context, 'page', String(previous)),
    next: hasNext ? linkTo(context, 'page', String(request.page + 1)) : null,
  };
}

/** A link to another page of the list, on the public URL and not on the host that the request named. */
function linkTo({ request, reader }: AnswerContext, name: string, value: string): string {
  const [path = '', query] = request.url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `${reader.publicUrl.replace(/\/+$/, '')}${path}?${parameters.toString()}`;
}
