import autocannon from 'autocannon';

/** A repeated request that cycles through its paths. */
export interface Scenario {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly paths: readonly string[];
  readonly body: string | null;
  /** Request bodies to cycle through, instead of `body`. */
  readonly bodies?: readonly string[];
  readonly status: number;
}

export interface LoadFigures {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses with an unexpected status, and failed requests. */
  readonly failures: number;
}

export const connections = 16;

/** Sends requests over 16 connections without pauses. */
export async function runLoad(url: string, scenario: Scenario, token: string, seconds: number): Promise<LoadFigures> {
  const { method, paths, body, bodies = [body] } = scenario;
  const times: number[] = [];
  let failures = 0;
  const startedMs = performance.now();
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url,
        connections,
        duration: seconds,
        requests: paths.flatMap((path) =>
          bodies.map((body) => ({
            method,
            path,
            headers: {
              authorization: `Bearer ${token}`,
              accept: 'application/json',
              ...(body === null ? {} : { 'content-type': 'application/json' }),
            },
            ...(body === null ? {} : { body }),
          })),
        ),
      },
      (error: unknown, finished) => (error ? reject(error) : resolve(finished)),
    );
    instance.on('response', (_client, status, _bytes, milliseconds) => {
      times.push(milliseconds);
      if (status !== scenario.status) failures += 1;
    });
  });
  const elapsed = (performance.now() - startedMs) / 1000;
  times.sort((one, other) => one - other);
  return {
    requests: times.length,
    perSecond: times.length / elapsed,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    // `errors` includes the time-outs.
    failures: failures + result.errors,
  };
}

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
