import { ProviderFailure, type ProviderFailureKind } from './provider-failure.ts';

/** A circuit breaker: stops requests to a provider that keeps failing. */
export interface CircuitBreaker {
  run<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** Reports that the provider works. */
  close(): void;
  /** Whether requests are rejected, or only a probe is let through. */
  isOpen(): boolean;
}

const failuresToOpen = 5;
const openMs = 10_000;

/**
 * Opens after five outages in a row. After ten seconds one call is let through: its success closes the circuit, its
 * failure keeps it open for another ten seconds. Only failed connections, time-outs and 502 to 504 are outages: a bad
 * answer to one request must not block other rooms.
 */
export function createCircuitBreaker(providerId: string, nowMs: () => number): CircuitBreaker {
  let failures = 0;
  let probeAtMs = 0;
  return {
    async run(call) {
      if (failures >= failuresToOpen) {
        if (nowMs() < probeAtMs) throw circuitOpen(providerId);
        // Other requests during the probe are rejected, too.
        probeAtMs = nowMs() + openMs;
      }
      try {
        const answer = await call();
        failures = 0;
        return answer;
      } catch (error) {
        if (!isConnectionFailure(error)) failures = 0;
        else if (++failures >= failuresToOpen) probeAtMs = nowMs() + openMs;
        throw error;
      }
    },
    close() {
      failures = 0;
    },
    isOpen: () => failures >= failuresToOpen,
  };
}

const connectionFailures: ReadonlySet<ProviderFailureKind> = new Set(['timeout', 'unreachable', 'untrusted']);

function isConnectionFailure(error: unknown): boolean {
  return error instanceof ProviderFailure && connectionFailures.has(error.kind);
}

function circuitOpen(providerId: string): ProviderFailure {
  return new ProviderFailure(
    'circuit-open',
    providerId,
    'The provider failed several times in a row. No requests are sent to it for a short time.',
  );
}
