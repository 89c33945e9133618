import { ProviderFailure, type ProviderFailureKind } from './provider-failure.ts';

/** Keeps callers from waiting for what has failed again and again. */
export interface CircuitBreaker {
  run<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** The provider was seen to work. */
  close(): void;
  /** Whether callers are turned away, or one more is let through to see whether it works again. */
  isOpen(): boolean;
}

const failuresToOpen = 5;
const openMs = 10_000;

/**
 * Opens after five outages in a row. After ten seconds one call is let through: its success closes the circuit,
 * its failure keeps it open as long again. Only failed connections, time-outs and 502 to 504 are outages: an answer
 * that one request spoils must not keep other rooms from the provider.
 */
export function createCircuitBreaker(providerId: string, nowMs: () => number): CircuitBreaker {
  let failures = 0;
  let probeAtMs = 0;
  return {
    async run(call) {
      if (failures >= failuresToOpen) {
        if (nowMs() < probeAtMs) throw circuitOpen(providerId);
        // Whoever comes while the probe is under way is turned away, too.
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
