import type { Instant } from '../../../platform/time/instant.ts';
import { printInstant } from '../../../platform/time/instant.ts';
import type { PendingChange } from './pending-changes.ts';
import type { RecordingRow } from '../store.ts';
import type { SeenRecording } from './seen-recording.ts';

/** The columns of a recording that follow the provider. */
export interface Taken {
  readonly name: string;
  readonly provider_name: string | null;
  readonly state: SeenRecording['state'];
  readonly published: boolean;
  readonly pending: PendingChange[];
  readonly started_at: Instant | null;
  readonly ended_at: Instant | null;
  readonly participants: number | null;
  readonly size_bytes: number | null;
  readonly size_estimated: boolean;
  readonly is_protected: boolean;
  readonly missing_since: null;
}

type Known = Pick<RecordingRow, 'name' | 'provider_name' | 'published' | 'pending'>;

/**
 * The columns to store for a recording that the provider lists. A pending change wins until the provider reports the same
 * value. A name that was changed on the provider is adopted.
 */
export function mergeObservation(row: Known | null, seen: SeenRecording, fallbackName: string): Taken {
  const seenName = seen.name ?? fallbackName;
  const pending = new Set(row?.pending ?? []);
  const isFinal = seen.state === 'published' || seen.state === 'unpublished';
  const isPublished = seen.state === 'published';
  if (isFinal && row?.published === isPublished) pending.delete('published');
  if (row?.name === seenName) pending.delete('name');
  const published = row && pending.has('published') ? row.published : isPublished;
  const isRenamedOnProvider = row === null || row.provider_name !== seen.name;
  return {
    name: row && (pending.has('name') || !isRenamedOnProvider) ? row.name : seenName,
    provider_name: seen.name,
    state: isFinal ? (published ? 'published' : 'unpublished') : seen.state,
    published,
    pending: [...pending],
    started_at: seen.startedAt,
    ended_at: seen.endedAt,
    participants: seen.participants,
    size_bytes: seen.sizeBytes,
    size_estimated: seen.isSizeEstimated,
    is_protected: seen.isProtected,
    missing_since: null,
  };
}

/** Whether the recording is processed, published or not. */
export function isReady(state: string): boolean {
  return state === 'published' || state === 'unpublished';
}

const hourMs = 3_600_000;

/**
 * A provider may omit a recording while it restarts or is restored. The recording counts as deleted after an hour, or
 * after a day if the provider lists no recordings at all, since its list may be switched off.
 */
export function isGone(
  { missing_since: since }: Pick<RecordingRow, 'missing_since'>,
  nowMs: number,
  listsOthers: boolean,
): boolean {
  return since !== null && nowMs - Date.parse(printInstant(since)) >= (listsOthers ? hourMs : 24 * hourMs);
}

/**
 * When to request the recordings of a room again: every two minutes while one is being processed or missing, else less
 * often the longer ago the last meeting was, and at least once a day.
 */
export function nextCheckMs(nowMs: number, lastEndMs: number, isUnsettled: boolean): number {
  const intervalMs = Math.min(Math.max((nowMs - lastEndMs) / 4, soon), 24 * hourMs);
  return nowMs + (isUnsettled ? soon : Math.round(intervalMs));
}

const soon = 120_000;
