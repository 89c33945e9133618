import { Agent, request } from 'undici';
import { ProviderFailure } from '../provider-failure.ts';
import { connectionFailure } from './connection-failure.ts';
import { oversize, redirected, serverError } from './http-failure.ts';
import type { SignedRequest } from './signed-request.ts';

export interface Transport {
  /** The whole answer: of limited size, within the time-out. 5xx and redirects are failures. */
  send(providerId: string, request: SignedRequest): Promise<HttpAnswer>;
  /** Waits for the requests that are under way. */
  close(): Promise<void>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** What the provider takes for the time, in milliseconds since 1970; null when it does not say. */
  readonly dateMs: number | null;
}

const defaultMaximumBytes = 5 * 1024 * 1024;

/**
 * Requests to providers. Redirects are not followed: a signed address is nobody else's business.
 * @param ca certificates in PEM that are trusted instead of the public ones
 */
export function createTransport(timeoutMs: () => number, ca: string | null = null): Transport {
  const agent = new Agent({
    connections: 16,
    pipelining: 1,
    keepAliveTimeout: 4000,
    connect: { timeout: timeoutMs(), ...(ca === null ? {} : { ca }) },
  });
  return {
    async send(providerId, { url, form, accept = 'text/xml, application/xml', maximumBytes = defaultMaximumBytes }) {
      const waitMs = timeoutMs();
      const signal = AbortSignal.timeout(waitMs);
      try {
        const answer = request(url, {
          dispatcher: agent,
          signal,
          method: form === null ? 'GET' : 'POST',
          headers: { accept, 'user-agent': 'Foyer', ...(form !== null && formType) },
          body: form,
        });
        const { statusCode, headers, body } = await orAborted(answer, signal);
        // A body that is given up reports that as an error of its own, which nobody waits for.
        body.on('error', () => {});
        const announced = Number(headers['content-length'] ?? 0);
        if (statusCode >= 300 && statusCode < 400) {
          body.destroy();
          throw redirected(providerId, headers['location'], url);
        }
        if (announced > maximumBytes) {
          body.destroy();
          throw oversize(providerId, maximumBytes);
        }
        const text = await readBody(providerId, body, maximumBytes);
        if (statusCode >= 500) throw serverError(providerId, statusCode);
        return { status: statusCode, text, dateMs: dateOf(headers['date']) };
      } catch (error) {
        if (error instanceof ProviderFailure) throw error;
        throw connectionFailure({ providerId, url, timeoutMs: waitMs }, signal.aborted ? { code: 'ABORTED' } : error);
      }
    },
    close: () => agent.close(),
  };
}

/** While a connection is being made the request does not hear the signal. */
async function orAborted<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } catch (error) {
    // It may yet fail, which nobody waits for.
    answer.catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Null for none, and for what no clock shows. */
function dateOf(header: string | string[] | undefined): number | null {
  const ms = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  return ms > 0 && ms < Date.UTC(2100) ? ms : null;
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
      throw oversize(providerId, maximumBytes);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
