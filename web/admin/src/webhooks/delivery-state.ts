import type { EndpointAnswer } from '@foyer/sdk';

export type Delivery = EndpointAnswer<'listWebhookDeliveries'>['data'][number];
export type Attempt = Delivery['attempts'][number];

const nearMs = 60_000;

/** Whether the next attempt is at most a minute away, so that the page polls for its outcome. */
export function isInProgress({ state, next_attempt_at, updated_at }: Delivery, nowMs: number): boolean {
  return state === 'pending' && Math.abs(nowMs - Date.parse(next_attempt_at ?? updated_at)) < nearMs;
}

/** "204 · 35 ms", "No response · 15 s". */
export function outcomeOf({
  status_code: status,
  duration_ms: ms,
}: Pick<Attempt, 'status_code' | 'duration_ms'>): string {
  return `${status === null ? 'No response' : status} · ${formatDuration(ms)}`;
}

function formatDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toLocaleString('en-GB', { maximumFractionDigits: 1 })} s`;
}
