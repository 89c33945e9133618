import type { Instant } from '../../../platform/time/instant.ts';
import { printInstant } from '../../../platform/time/instant.ts';
import type { Wish } from './wishes.ts';
import type { RecordingRow } from '../store.ts';
import type { SeenRecording } from './seen-recording.ts';

/** What of a stored recording is as the provider has it. */
export interface Taken {
  readonly name: string;
  readonly provider_name: string | null;
  readonly state: SeenRecording['state'];
  readonly published: boolean;
  readonly pending: Wish[];
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
 * What is stored of a recording that the provider lists. What was changed here and not carried out there yet holds,
 * until the provider says the same; a name that was changed there is taken over.
 */
export function takeOver(row: Known | null, seen: SeenRecording, fallbackName: string): Taken {
  const seenName = seen.name ?? fallbackName;
  const pending = new Set(row?.pending ?? []);
  const isFinal = seen.state === 'published' || seen.state === 'unpublished';
  const isPublished = seen.state === 'published';
  if (isFinal && row?.published === isPublished) pending.delete('published');
  if (row?.name === seenName) pending.delete('name');
  const published = row && pending.has('published') ? row.published : isPublished;
  const isRenamedThere = row === null || row.provider_name !== seen.name;
  return {
    name: row && (pending.has('name') || !isRenamedThere) ? row.name : seenName,
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

/** Whether it can be watched, or could be if it were published. */
export function isReady(state: string): boolean {
  return state === 'published' || state === 'unpublished';
}

const hourMs = 3_600_000;

/**
 * A provider that lists a recording no more may be restarting, or be restored: it is gone when it stays away for an
 * hour, or for a day where the provider lists nothing at all, as one does whose lists are switched off.
 */
export function isGone(
  { missing_since: since }: Pick<RecordingRow, 'missing_since'>,
  nowMs: number,
  listsOthers: boolean,
): boolean {
  return since !== null && nowMs - Date.parse(printInstant(since)) >= (listsOthers ? hourMs : 24 * hourMs);
}

/**
 * When the provider is asked next for the recordings of a room: every two minutes while one is processed or missing,
 * else the less often the longer ago its last meeting was, and once a day at least.
 */
export function nextCheckMs(nowMs: number, lastEndMs: number, isUnsettled: boolean): number {
  const patience = Math.min(Math.max((nowMs - lastEndMs) / 4, soon), 24 * hourMs);
  return nowMs + (isUnsettled ? soon : Math.round(patience));
}

const soon = 120_000;
