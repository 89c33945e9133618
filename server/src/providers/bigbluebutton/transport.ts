import { Agent, request } from 'undici';
import { ProviderFailure } from '../provider-failure.ts';

export interface Transport {
  /** The body of the answer; at most 5 MiB, within the time-out for all of it. */
  get(url: string): Promise<string>;
  close(): Promise<void>;
}

const maximumBytes = 5 * 1024 * 1024;

/** Requests to one provider. Redirects are not followed: a signed address is nobody else's business. */
export function createTransport(providerId: string, timeoutMs: () => number): Transport {
  const agent = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 4000 });
  return {
    async get(url) {
      const signal = AbortSignal.timeout(timeoutMs());
      try {
        const { statusCode, headers, body } = await request(url, {
          dispatcher: agent,
          signal,
          headers: { accept: 'text/xml' },
        });
        if (statusCode >= 300 && statusCode < 400) {
          await body.dump();
          throw new ProviderFailure('redirected', providerId, 'The provider redirects its API elsewhere.');
        }
        if (Number(headers['content-length'] ?? 0) > maximumBytes) {
          body.destroy();
          throw oversize(providerId);
        }
        const text = await readBody(providerId, body);
        if (statusCode >= 500)
          throw new ProviderFailure('unreachable', providerId, `The provider answered with the status ${statusCode}.`);
        return text;
      } catch (error) {
        throw asFailure(providerId, error, signal.aborted);
      }
    },
    close: () => agent.destroy(),
  };
}

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
  return Buffer.concat(chunks).toString('utf8');
}

function oversize(providerId: string): ProviderFailure {
  return new ProviderFailure('oversize', providerId, 'The provider answered with more than 5 MiB.');
}

/** The cause is left out: its text may hold the signed address. */
function asFailure(providerId: string, error: unknown, timedOut: boolean): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (timedOut || (typeof code === 'string' && code.includes('TIMEOUT'))) {
    return new ProviderFailure('timeout', providerId, 'The provider did not answer in time.');
  }
  const reason = typeof code === 'string' ? ` (${code})` : '';
  return new ProviderFailure('unreachable', providerId, `The provider cannot be reached${reason}.`);
}
