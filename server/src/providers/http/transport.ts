import { Agent, buildConnector, request } from 'undici';
import { ProviderFailure } from '../provider-failure.ts';
import { connectionFailure } from './connection-failure.ts';
import { oversizeFailure, redirectFailure, serverFailure } from './http-failure.ts';
import type { ErrorHints } from './error-hints.ts';

export type { ErrorHints };

export interface ProviderRequest {
  readonly url: string;
  /** The form to post; null for a GET, or if there is `custom`. */
  readonly form: string | null;
  /** Method and content of a request that is neither a GET nor the post of a form. */
  readonly custom?: {
    readonly method: string;
    readonly content: string | Uint8Array | null;
    readonly contentType: string;
  };
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type of the answer; XML by default. Servers answer some calls in JSON, but only if requested. */
  readonly accept?: 'application/json';
  /** The largest answer in bytes; 5 MiB by default. */
  readonly maximumBytes?: number;
}

export interface Transport {
  /** Reads the whole answer, with limited size and within the time-out. 5xx and redirects are failures. */
  send(providerId: string, request: ProviderRequest): Promise<HttpAnswer>;
  /** Waits for running requests. */
  close(): Promise<void>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** The provider's clock, in milliseconds since 1970; null if unknown. */
  readonly dateMs: number | null;
  /** The address of the resource that the request created; null if unknown. */
  readonly location: string | null;
}

const defaultMaximumBytes = 5 * 1024 * 1024;

export interface TransportOptions {
  readonly timeoutMs: () => number;
  /** Texts that error messages of this provider type add. */
  readonly errorHints: ErrorHints;
  /** Certificates in PEM to trust instead of the public ones. */
  readonly ca?: string;
}

/** Redirects are not followed: a signed address must not reach another server. */
export function createTransport({ timeoutMs, errorHints, ca }: TransportOptions): Transport {
  const agent = new Agent({
    connections: 16,
    pipelining: 1,
    keepAliveTimeout: 4000,
    connect: createConnector(timeoutMs, ca),
  });
  return {
    async send(providerId, providerRequest) {
      const { url, form, custom, accept = 'text/xml, application/xml' } = providerRequest;
      const maximumBytes = providerRequest.maximumBytes ?? defaultMaximumBytes;
      const waitMs = timeoutMs();
      const signal = AbortSignal.timeout(waitMs);
      try {
        const answer = request(url, {
          dispatcher: agent,
          signal,
          method: custom?.method ?? (form === null ? 'GET' : 'POST'),
          headers: {
            accept,
            'user-agent': 'Foyer',
            ...(form !== null && formType),
            ...(custom && custom.content !== null && { 'content-type': custom.contentType }),
            ...providerRequest.headers,
          },
          body: custom?.content ?? form,
        });
        const { statusCode, headers, body: responseBody } = await rejectOnAbort(answer, signal);
        // A cancelled body emits an error that has no other listener.
        responseBody.on('error', () => {});
        const announcedBytes = Number(headers['content-length'] ?? 0);
        if (statusCode >= 300 && statusCode < 400) {
          responseBody.destroy();
          throw redirectFailure(providerId, headers['location'], url, errorHints);
        }
        if (announcedBytes > maximumBytes) {
          responseBody.destroy();
          throw oversizeFailure(providerId, maximumBytes);
        }
        const text = await readBody(providerId, responseBody, maximumBytes);
        if (statusCode >= 500) throw serverFailure(providerId, statusCode, errorHints);
        return { status: statusCode, text, dateMs: dateOf(headers['date']), location: textOf(headers['location']) };
      } catch (error) {
        if (error instanceof ProviderFailure) throw error;
        throw connectionFailure({ providerId, url, timeoutMs: waitMs }, signal.aborted ? { code: 'ABORTED' } : error);
      }
    },
    close: () => agent.close(),
  };
}

/** Connects within the current time-out, which can change while the transport is in use. */
function createConnector(timeoutMs: () => number, ca: string | undefined): buildConnector.connector {
  const create = (timeout: number) => buildConnector({ timeout, ...(ca === undefined ? {} : { ca }) });
  let [createdForMs, connect] = [timeoutMs(), create(timeoutMs())];
  return (options, callback) => {
    const currentMs = timeoutMs();
    if (currentMs !== createdForMs) [createdForMs, connect] = [currentMs, create(currentMs)];
    connect(options, callback);
  };
}

/** Rejects when the signal is aborted. This is necessary because undici ignores the signal while it connects. */
async function rejectOnAbort<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } catch (error) {
    // A later failure has no other listener.
    answer.catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Null if absent or not a valid date. */
function dateOf(header: string | string[] | undefined): number | null {
  const ms = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  return ms > 0 && ms < Date.UTC(2100) ? ms : null;
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' };

async function readBody(
  providerId: string,
  body: AsyncIterable<Buffer> & { destroy(): void },
  maximumBytes: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maximumBytes) {
      body.destroy();
      throw oversizeFailure(providerId, maximumBytes);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
