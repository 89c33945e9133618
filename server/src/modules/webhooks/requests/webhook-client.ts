import { type LookupAddress, lookup as lookupName, type LookupOptions } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { version } from '../../../platform/version.ts';
import type { Attempt } from '../transformer.ts';
import { isPublicAddress } from '../../../platform/network/public-address.ts';
import { readStart } from './read-start.ts';
import { signatureOf } from './signature.ts';
import { findLiteralFault } from './url-fault.ts';

export interface WebhookRequest {
  readonly url: string;
  /** The same on every attempt. */
  readonly id: string;
  readonly body: string;
  /** In the format of the Standard Webhooks specification, the newest first. */
  readonly secrets: readonly string[];
  readonly sentAtMs: number;
}

/** Sends requests to receivers, which are not trusted. */
export interface WebhookClient {
  /** Never throws: a failure is an outcome. */
  send(request: WebhookRequest): Promise<Attempt>;
  close(): Promise<void>;
}

export interface WebhookClientOptions {
  readonly isPrivateAllowed: () => boolean;
  /** How long a receiver may take to answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** Resolves a name to all its addresses. Default: the resolver of the system. */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
}

class AddressRefused extends Error {}

const defaultTimeoutMs = 15_000;

/** Redirects are not followed. Addresses are checked when the connection is made, against DNS rebinding. */
export function createWebhookClient({
  isPrivateAllowed,
  timeoutMs = defaultTimeoutMs,
  resolve = resolveName,
}: WebhookClientOptions): WebhookClient {
  function lookup(
    name: string,
    options: LookupOptions,
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        const refused = isPrivateAllowed() ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
        if (!first || refused) done(new AddressRefused('The host name resolves to an address that is not public.'), []);
        else if (options.all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, []),
    );
  }
  // A `timeout` of an agent applies to idle connections only.
  const options = { keepAlive: true, timeout: 4000 };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };

  /** Informational responses, such as `100 Continue`, are skipped. */
  async function open(url: string, body: string, requestOptions: http.RequestOptions): Promise<http.IncomingMessage> {
    const scheme = url.startsWith('https:')
      ? { request: https.request, agent: agents.https }
      : { request: http.request, agent: agents.http };
    return await new Promise((resolve, reject) => {
      scheme
        .request(url, { ...requestOptions, method: 'POST', agent: scheme.agent })
        .on('response', resolve)
        .on('error', reject)
        // After a response with another protocol, Node.js emits no error.
        .on('close', () => reject(Object.assign(new Error('Closed without a response.'), { code: 'ECONNRESET' })))
        .end(body);
    });
  }

  async function post({ url, id, body, secrets, sentAtMs }: WebhookRequest): Promise<Outcome> {
    const timestamp = String(Math.floor(sentAtMs / 1000));
    const answer = await open(url, body, {
      lookup,
      signal: AbortSignal.timeout(timeoutMs),
      maxHeaderSize: 16_384,
      headers: {
        'content-type': 'application/json',
        'user-agent': `Foyer/${version}`,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(`${id}.${timestamp}.${body}`, secrets),
      },
    });
    const status = answer.statusCode ?? 0;
    if (status < 100) return failure(notHttp);
    const response = await readStart(answer);
    return { status_code: status, response, error: faultOf(status) };
  }

  return {
    async send(message) {
      const startedMs = performance.now();
      const fault = findLiteralFault(message.url, isPrivateAllowed());
      const outcome =
        fault === null
          ? await post(message).catch((error: unknown) => failure(describeError(error, timeoutMs)))
          : failure(fault);
      const durationMs = Math.round(performance.now() - startedMs);
      return { at: new Date(message.sentAtMs).toISOString(), duration_ms: durationMs, ...outcome };
    },
    async close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Outcome = Pick<Attempt, 'status_code' | 'response' | 'error'>;

function failure(error: string): Outcome {
  return { status_code: null, response: null, error };
}

function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'The receiver answered with a redirect, which is not followed.';
  return `The receiver answered ${status}.`;
}

/** Describes the error without details of the internal network. */
function describeError(error: unknown, timeoutMs: number): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (error instanceof AddressRefused) return error.message;
  if (error instanceof AggregateError) return describeError(error.errors[0], timeoutMs);
  const isLate = name === 'TimeoutError' || name === 'AbortError' || /TIMEOUT|TIMEDOUT/.test(String(code));
  if (isLate) return `The receiver did not respond within ${Math.round(timeoutMs / 1000)} seconds.`;
  const sentence = sentences[String(code)];
  if (sentence !== undefined) return sentence;
  if (/CERT|SSL|TLS|SIGNATURE/.test(String(code)))
    return `The certificate of the receiver is not valid (${String(code)}).`;
  return `The connection to the receiver failed${typeof code === 'string' ? ` (${code})` : ''}.`;
}

const notHttp = 'The receiver did not respond with HTTP.';

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name of the receiver cannot be resolved.',
  EAI_AGAIN: 'The host name of the receiver cannot be resolved.',
  ECONNREFUSED: 'The receiver refuses connections.',
  ECONNRESET: 'The receiver closed the connection.',
  HPE_HEADER_OVERFLOW: notHttp,
};

async function resolveName(name: string): Promise<LookupAddress[]> {
  return await new Promise((resolve, reject) =>
    lookupName(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );
}
