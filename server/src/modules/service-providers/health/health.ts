import type { ProviderState } from '@foyer/contract/resources/providers/service-provider-health.ts';

/** What one check found. */
export interface Finding {
  readonly answered: boolean;
  readonly latencyMs: number | null;
  /** Of an answer, too: it may answer, and refuse. */
  readonly problem: string | null;
  /** It cannot be used as it is stored, whenever it is asked: its secret is not accepted. */
  readonly isUnusable?: boolean;
}

export interface Health {
  readonly state: ProviderState;
  /** Milliseconds since 1970, as all instants here. */
  readonly sinceMs: number;
  readonly failuresInRow: number;
  readonly lastFailureMs: number | null;
}

/** Longer answers make a provider count as degraded. */
const slowMs = 2000;
const failuresToBeDown = 2;
const recoveryMs = 15 * 60_000;
const staleMs = 5 * 60_000;

/**
 * How a provider is after one more check: a single failure is no outage, but a secret that is not accepted is; and an
 * outage is not forgotten at once.
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
  const failedLately = lastFailureMs !== null && nowMs - lastFailureMs < recoveryMs;
  const isWell = answered && !failedLately && problem === null && (latencyMs ?? 0) < slowMs;
  return isWell ? 'healthy' : 'degraded';
}

/** Whether what was found then still tells how it is now. */
export function isFresh(checkedAtMs: number | null, nowMs: number): boolean {
  return checkedAtMs !== null && nowMs - checkedAtMs <= staleMs;
}
