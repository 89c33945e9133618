import { sign } from './http/signature.ts';

export interface Callbacks {
  /** Sends a request to the platform. @throws if it does not respond with JSON in time */
  request(url: string, body: object, timeoutMs?: number): Promise<Readonly<Record<string, unknown>>>;
  /** Reports to the platform. A failure is ignored, since the platform also polls. */
  report(url: string, body: object): void;
  /** Waits for running requests. */
  close(): Promise<void>;
}

const defaultTimeoutMs = 10_000;
const maxResponseLength = 64 * 1024;

export function createCallbacks(secret: string): Callbacks {
  const running = new Set<Promise<unknown>>();

  async function send(url: string, body: object, timeoutMs: number): Promise<Response> {
    const { pathname, search } = new URL(url);
    const content = Buffer.from(JSON.stringify({ ...body, at_ms: Date.now() }));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = sign(secret, { timestamp, method: 'POST', path: `${pathname}${search}`, body: content });
    return await fetch(url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json',
        'x-foyer-timestamp': timestamp,
        'x-foyer-signature': signature,
      },
      body: content,
    });
  }

  return {
    async request(url, body, timeoutMs = defaultTimeoutMs) {
      const response = await send(url, body, timeoutMs);
      const text = await response.text();
      if (response.status !== 200 || text.length > maxResponseLength)
        throw new Error(`The platform responded with status ${response.status}.`);
      return JSON.parse(text) as Readonly<Record<string, unknown>>;
    },
    report(url, body) {
      const call: Promise<unknown> = send(url, body, defaultTimeoutMs)
        .then((response) => response.arrayBuffer())
        .catch(() => {})
        .finally(() => running.delete(call));
      running.add(call);
    },
    async close() {
      await Promise.all(running);
    },
  };
}
