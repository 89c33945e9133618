import { FoyerError, type RawAnswer, readFailure } from './foyer-error.ts';
import type { Operation, Query, Route } from './operation.ts';
import { createEvents, type Events } from './events.ts';
import { type Operations, routes } from './operations.ts';

export { FoyerError, type Query, type RawAnswer };
export type { Events, FoyerEvent, StreamOptions } from './events.ts';
export { verifyWebhook, type WebhookMessage, WebhookVerificationError } from './webhook.ts';

export type EndpointName = keyof Operations;

export type Input<O extends Operation> = (keyof O['params'] extends never
  ? { readonly params?: undefined }
  : { readonly params: O['params'] }) &
  (undefined extends O['body'] ? { readonly body?: undefined } : { readonly body: O['body'] }) & {
    readonly query?: O['query'];
    readonly headers?: Readonly<Record<string, string>>;
    /** A POST with this key is executed once; for a day, repeated requests get the first answer. */
    readonly idempotencyKey?: string;
    /** The `ETag` that you read: the write fails with 412 if the resource has changed since. */
    readonly ifMatch?: string;
    readonly signal?: AbortSignal;
    /** Calls the endpoint at the root instead of below `/api/v1`, if it also exists there. Sign-ins with cookies need this. */
    readonly atRoot?: boolean;
  };

/** The input is optional if it has no required members. */
type Arguments<O extends Operation> = Record<never, never> extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

/** One method per endpoint of the contract; failures are thrown as `FoyerError`. */
export type Client = {
  readonly [Name in keyof Operations]: (...input: Arguments<Operations[Name]>) => Promise<Operations[Name]['answer']>;
} & {
  /** Calls an endpoint and returns the answer with its status and headers. Does not throw for error statuses. */
  request(name: EndpointName, input?: LooseInput): Promise<RawAnswer>;
  /** Calls an endpoint and returns its answer with the entity tag to send as `ifMatch` of the next write. */
  withEtag<Name extends EndpointName>(
    name: Name,
    ...input: Arguments<Operations[Name]>
  ): Promise<Tagged<EndpointAnswer<Name>>>;
  /** Yields all objects of a list, and reads the next page when it is needed. */
  all<Name extends ListName>(name: Name, ...input: Arguments<Operations[Name]>): AsyncGenerator<ListItem<Name>>;
  readonly events: Events;
  /** Reads a list or report as a stream of CSV. Nothing is buffered; the server waits for a slow reader. */
  csv<Name extends CsvName>(name: Name, ...input: Arguments<Operations[Name]>): Promise<CsvFile>;
};

export interface Tagged<Answer> {
  readonly answer: Answer;
  /** The `ETag` header; null for lists and other answers without one. */
  readonly etag: string | null;
}

export interface CsvFile {
  /** The file name that the platform suggests. */
  readonly fileName: string | null;
  /** UTF-8, the first line names the columns. Cancel it or abort the `signal` of the call to stop early. */
  readonly body: ReadableStream<Uint8Array>;
}

/** The endpoints that also answer as CSV. */
export type CsvName = {
  [Name in EndpointName]: Operations[Name]['hasCsv'] extends true ? Name : never;
}[EndpointName];

export type EndpointInput<Name extends EndpointName> = Input<Operations[Name]>;
export type EndpointAnswer<Name extends EndpointName> = Operations[Name]['answer'];

export type ListName = {
  [Name in EndpointName]: Operations[Name]['isList'] extends true ? Name : never;
}[EndpointName];
export type ListItem<Name extends ListName> = EndpointAnswer<Name> extends { data: (infer Item)[] } ? Item : never;

export interface LooseInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly atRoot?: boolean | undefined;
}

export interface ClientOptions {
  /** The address of the platform, without `/api/v1`. */
  readonly baseUrl: string;
  /** The access token, or a function that returns it for each request. */
  readonly token?: string | null | (() => string | null | Promise<string | null>);
  /**
   * Called once when a request fails with 401. The request is repeated with the returned token; null keeps the error.
   */
  readonly onUnauthenticated?: () => string | null | Promise<string | null>;
  readonly fetch?: typeof globalThis.fetch;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function createClient(options: ClientOptions): Client {
  const request = (name: EndpointName, input: LooseInput = {}) => send(options, routes[name], input);
  async function withEtag(name: EndpointName, input: LooseInput = {}): Promise<Tagged<unknown>> {
    const answer = await request(name, input);
    if (answer.status >= 400) throw readFailure(answer);
    return { answer: answer.body, etag: answer.headers.get('etag') };
  }
  async function call(name: EndpointName, input: LooseInput = {}): Promise<unknown> {
    return (await withEtag(name, input)).answer;
  }
  async function* all(name: EndpointName, input: LooseInput = {}): AsyncGenerator {
    let cursor: string | null | undefined;
    do {
      const query = { limit: 100, count: false, ...input.query, ...(cursor ? { cursor } : {}) };
      const page = (await call(name, { ...input, query })) as {
        data: unknown[];
        meta: { pagination?: { next_cursor: string | null } };
      };
      yield* page.data;
      cursor = page.meta.pagination?.next_cursor;
    } while (cursor);
  }
  async function csv(name: EndpointName, input: LooseInput = {}): Promise<CsvFile> {
    const headers = { ...input.headers, accept: 'text/csv' };
    const answer = await open(options, routes[name], { ...input, headers });
    if (answer.status >= 400) throw readFailure(await readWhole(answer));
    const [, fileName = null] = /filename="([^"]*)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
    if (answer.body === null) throw new TypeError('The platform answered without a body.');
    return { fileName, body: answer.body };
  }
  const methods = Object.fromEntries(
    (Object.keys(routes) as EndpointName[]).map((name) => [name, (input?: LooseInput) => call(name, input)]),
  );
  const events = createEvents(
    (query, signal) => open(options, routes.streamEvents, { query, signal, headers: { accept: 'text/event-stream' } }),
    async (signal) => {
      const query = { limit: 1, count: false, filter: 'id' };
      const page = (await call('listEvents', { query, signal })) as { data: { id: string }[] };
      return page.data;
    },
  );
  return { ...methods, request, withEtag, all, csv, events } as unknown as Client;
}

async function send(options: ClientOptions, route: Route, input: LooseInput): Promise<RawAnswer> {
  return await readWhole(await open(options, route, input));
}

async function readWhole(answer: Response): Promise<RawAnswer> {
  return { status: answer.status, headers: answer.headers, body: parse(await answer.text()) };
}

async function open(options: ClientOptions, route: Route, input: LooseInput): Promise<Response> {
  const token = typeof options.token === 'function' ? await options.token() : (options.token ?? null);
  const answer = await sendAs(token, options, route, input);
  if (answer.status !== 401 || token === null || !options.onUnauthenticated) return answer;
  const newToken = await options.onUnauthenticated();
  if (newToken === null) return answer;
  await answer.body?.cancel();
  return await sendAs(newToken, options, route, input);
}

async function sendAs(
  token: string | null,
  options: ClientOptions,
  route: Route,
  input: LooseInput,
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (token !== null) headers['authorization'] = `Bearer ${token}`;
  const isFile = input.body instanceof Blob;
  if (isFile && input.body.type !== '') headers['content-type'] = input.body.type;
  else if (input.body !== undefined) headers['content-type'] = 'application/json';
  if (input.idempotencyKey !== undefined) headers['idempotency-key'] = input.idempotencyKey;
  if (input.ifMatch !== undefined) headers['if-match'] = input.ifMatch;
  const callFetch = options.fetch ?? globalThis.fetch;
  return await callFetch(addressOf(options.baseUrl, route, input), {
    method: route.method,
    headers: { ...headers, ...input.headers },
    ...(input.body === undefined ? {} : { body: isFile ? input.body : JSON.stringify(input.body) }),
    ...(input.signal ? { signal: input.signal } : {}),
  });
}

function addressOf(baseUrl: string, route: Route, input: LooseInput): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const value = input.params?.[name];
    if (value === undefined) throw new TypeError(`${route.method} ${route.path} needs the parameter ${name}`);
    return encodeURIComponent(value);
  });
  if (input.atRoot && !route.hasUnprefixedPath) throw new TypeError(`${route.path} does not respond at the root`);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const suffix = query.size === 0 ? '' : `?${query.toString()}`;
  return `${baseUrl.replace(/\/+$/, '')}${input.atRoot ? '' : '/api/v1'}${path}${suffix}`;
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
