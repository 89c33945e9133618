import type { ProviderState } from '@foyer/contract/resources/providers/service-provider-health.ts';

/** The result of one check. */
export interface Finding {
  readonly answered: boolean;
  readonly latencyMs: number | null;
  /** Also set if the provider answers with an error. */
  readonly problem: string | null;
  /** Whether the provider rejects the stored secret, so that it cannot be used. */
  readonly isUnusable?: boolean;
}

export interface Health {
  readonly state: ProviderState;
  /** Milliseconds since 1970, as all instants here. */
  readonly sinceMs: number;
  readonly failuresInRow: number;
  readonly lastFailureMs: number | null;
}

/** A provider that needs longer for an answer is degraded. */
const slowMs = 2000;
const failuresToBeDown = 2;
const recoveryMs = 15 * 60_000;
const staleMs = 5 * 60_000;

/**
 * The state of a provider after a check. A single failure is not an outage, but a refused secret is; and a provider
 * stays degraded for some time after an outage.
 */
export function healthAfter(before: Health | null, finding: Finding, nowMs: number): Health {
  const failuresBefore = finding.isUnusable ? failuresToBeDown - 1 : 0;
  const failuresInRow = finding.answered ? 0 : Math.max(before?.failuresInRow ?? 0, failuresBefore) + 1;
  const lastFailureMs = finding.answered ? (before?.lastFailureMs ?? null) : nowMs;
  const state = stateOf(finding, failuresInRow, lastFailureMs, nowMs);
  const sinceMs = before !== null && before.state === state ? before.sinceMs : nowMs;
  return { state, sinceMs, failuresInRow, lastFailureMs };
}

function stateOf(
  { answered, latencyMs, problem }: Finding,
  failuresInRow: number,
  lastFailureMs: number | null,
  nowMs: number,
): ProviderState {
  if (failuresInRow >= failuresToBeDown) return 'down';
  const hasFailedRecently = lastFailureMs !== null && nowMs - lastFailureMs < recoveryMs;
  const isHealthy = answered && !hasFailedRecently && problem === null && (latencyMs ?? 0) < slowMs;
  return isHealthy ? 'healthy' : 'degraded';
}

/** Whether the last result is recent enough. */
export function isFresh(checkedAtMs: number | null, nowMs: number): boolean {
  return checkedAtMs !== null && nowMs - checkedAtMs <= staleMs;
}
