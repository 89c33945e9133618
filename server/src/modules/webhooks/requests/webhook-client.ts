import { type LookupAddress, lookup as lookupName, type LookupOptions } from 'node:dns';
import { Agent, request } from 'undici';
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
  const agent = new Agent({
    pipelining: 1,
    keepAliveTimeout: 4000,
    connect: { timeout: timeoutMs, lookup },
    headersTimeout: timeoutMs,
    maxHeaderSize: 16_384,
  });

  async function post({ url, id, body, secrets, sentAtMs }: WebhookRequest): Promise<Outcome> {
    const timestamp = String(Math.floor(sentAtMs / 1000));
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await rejectOnAbort(
      request(url, {
        dispatcher: agent,
        signal,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': `Foyer/${version}`,
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signatureOf(`${id}.${timestamp}.${body}`, secrets),
        },
        body,
      }),
      signal,
    );
    const response = await readStart(answer.body);
    return { status_code: answer.statusCode, response, error: faultOf(answer.statusCode) };
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
      await agent.destroy();
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

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name of the receiver cannot be resolved.',
  EAI_AGAIN: 'The host name of the receiver cannot be resolved.',
  ECONNREFUSED: 'The receiver refuses connections.',
  ECONNRESET: 'The receiver closed the connection.',
  UND_ERR_SOCKET: 'The receiver closed the connection.',
  UND_ERR_HEADERS_OVERFLOW: 'The receiver did not respond with HTTP.',
};

async function resolveName(name: string): Promise<LookupAddress[]> {
  return await new Promise((resolve, reject) =>
    lookupName(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );
}

/** Rejects when the signal is aborted. undici ignores the signal while it opens a connection. */
async function rejectOnAbort<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } catch (error) {
    // A later rejection of the answer must not be reported as unhandled.
    answer.catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
