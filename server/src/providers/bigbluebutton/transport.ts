import { Agent, request } from 'undici';
import { ProviderFailure } from '../provider-failure.ts';
import type { SignedRequest } from './signed-request.ts';
import { readUrl } from '../../platform/read-url.ts';

export interface Transport {
  /** The whole answer: at most 5 MiB, within the time-out. 5xx and redirects are failures. */
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

const maximumBytes = 5 * 1024 * 1024;

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
    async send(providerId, { url, form }) {
      const signal = AbortSignal.timeout(timeoutMs());
      try {
        const answer = request(url, {
          dispatcher: agent,
          signal,
          ...(form === null ? { method: 'GET', headers: accepted } : { method: 'POST', headers: posted, body: form }),
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
          throw oversize(providerId);
        }
        const text = await readBody(providerId, body);
        if (statusCode >= 500)
          throw new ProviderFailure('unreachable', providerId, `The provider answered with the status ${statusCode}.`);
        return { status: statusCode, text, dateMs: dateOf(headers['date']) };
      } catch (error) {
        throw asFailure(providerId, error, signal.aborted);
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

const accepted = { accept: 'text/xml, application/xml', 'user-agent': 'Foyer' };
const posted = { ...accepted, 'content-type': 'application/x-www-form-urlencoded' };

async function readBody(providerId: string, body: AsyncIterable<Buffer> & { destroy(): void }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maximumBytes) {
      body.destroy();
      throw oversize(providerId);
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function oversize(providerId: string): ProviderFailure {
  return new ProviderFailure('oversize', providerId, 'The provider answered with more than 5 MiB.');
}

/** Names the origin, which is where the mistake mostly is; the rest of the location may hold a signed query. */
function redirected(providerId: string, location: string | string[] | undefined, from: string): ProviderFailure {
  const target = typeof location === 'string' ? readUrl(location, from) : null;
  const where = target && target.origin !== 'null' ? `to ${target.origin}` : 'elsewhere';
  return new ProviderFailure('redirected', providerId, `The provider redirects its API ${where}.`);
}

/** The cause is left out: its text may hold the signed address. */
function asFailure(providerId: string, error: unknown, timedOut: boolean): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (timedOut || (typeof code === 'string' && code.includes('TIMEOUT'))) {
    return new ProviderFailure('timeout', providerId, 'The provider did not answer in time.');
  }
  const distrust = typeof code === 'string' ? distrustOf(code) : null;
  if (distrust !== null) return new ProviderFailure('untrusted', providerId, `${distrust} (${String(code)}).`);
  const reason = typeof code === 'string' ? ` (${code})` : '';
  const mayHaveArrived = typeof code !== 'string' || !unconnectedCodes.has(code);
  return new ProviderFailure(
    'unreachable',
    providerId,
    `The provider cannot be reached${reason}.`,
    null,
    mayHaveArrived,
  );
}

/** No connection was made, so that nothing was sent. */
const unconnectedCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** What is wrong with its certificate; null when it is something else. */
function distrustOf(code: string): string | null {
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate of the provider has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'The certificate of the provider is not valid yet';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'The certificate of the provider is for another host';
  return certificateCodes.test(code) ? 'The certificate of the provider is not trusted' : null;
}

/** As OpenSSL names what it finds. */
const certificateCodes =
  /CERT|ISSUER|CRL|SELF_SIGNED|VERIFY|^(?:INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/;
