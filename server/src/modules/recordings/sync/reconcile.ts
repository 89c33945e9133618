import type { Instant } from '../../../platform/time/instant.ts';
import { printInstant } from '../../../platform/time/instant.ts';
import type { PendingChange } from './pending-changes.ts';
import type { RecordingRow } from '../store.ts';
import type { ListedRecording } from './listed-recording.ts';

/** The columns of a recording that follow the provider. */
export interface ObservedColumns {
  readonly name: string;
  readonly provider_name: string | null;
  readonly state: ListedRecording['state'];
  readonly published: boolean;
  readonly pending: PendingChange[];
  readonly started_at: Instant | null;
  readonly ended_at: Instant | null;
  readonly participants: number | null;
  readonly size_bytes: number | null;
  readonly size_estimated: boolean;
  readonly problem: ListedRecording['problem'];
  readonly is_protected: boolean;
  readonly missing_since: null;
}

type StoredColumns = Pick<RecordingRow, 'name' | 'provider_name' | 'published' | 'pending'>;

/**
 * The columns to store for a recording that the provider lists. A pending change wins until the provider reports the same
 * value. A name that was changed on the provider is adopted.
 */
export function mergeObservation(
  row: StoredColumns | null,
  listed: ListedRecording,
  fallbackName: string,
): ObservedColumns {
  const listedName = listed.name ?? fallbackName;
  const pending = new Set(row?.pending ?? []);
  const isFinal = listed.state === 'published' || listed.state === 'unpublished';
  const isPublished = listed.state === 'published';
  if (isFinal && row?.published === isPublished) pending.delete('published');
  if (row?.name === listedName) pending.delete('name');
  const published = row && pending.has('published') ? row.published : isPublished;
  const isRenamedOnProvider = row === null || row.provider_name !== listed.name;
  return {
    name: row && (pending.has('name') || !isRenamedOnProvider) ? row.name : listedName,
    provider_name: listed.name,
    state: isFinal ? (published ? 'published' : 'unpublished') : listed.state,
    published,
    pending: [...pending],
    started_at: listed.startedAt,
    ended_at: listed.endedAt,
    participants: listed.participants,
    size_bytes: listed.sizeBytes,
    size_estimated: listed.isSizeEstimated,
    problem: listed.problem,
    is_protected: listed.isProtected,
    missing_since: null,
  };
}

/** Whether the recording has been processed. It may be published or unpublished. */
export function isReady(state: string): boolean {
  return state === 'published' || state === 'unpublished';
}

const hourMs = 3_600_000;

/**
 * A provider may omit a recording while it restarts or is restored. The recording counts as deleted after an hour, or
 * after a day if the provider lists no recordings at all, since its list may be switched off.
 */
export function countsAsDeleted(
  { missing_since: since }: Pick<RecordingRow, 'missing_since'>,
  nowMs: number,
  hasListedRecordings: boolean,
): boolean {
  return since !== null && nowMs - Date.parse(printInstant(since)) >= (hasListedRecordings ? hourMs : 24 * hourMs);
}

/**
 * When to request the recordings of a room again: every two minutes while a recording is being processed or missing;
 * otherwise the longer ago the last meeting was, the less often, and at least once a day.
 */
export function nextCheckMs(nowMs: number, lastEndMs: number, hasUnfinished: boolean): number {
  const intervalMs = Math.min(Math.max((nowMs - lastEndMs) / 4, minCheckIntervalMs), 24 * hourMs);
  return nowMs + (hasUnfinished ? minCheckIntervalMs : Math.round(intervalMs));
}

const minCheckIntervalMs = 120_000;
