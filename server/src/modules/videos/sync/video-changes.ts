import { isDeepStrictEqual } from 'node:util';
import type { VideoState } from '../../../providers/media.ts';
import type { VideoRow } from '../store.ts';

/** The columns that are copied from the media server. */
export interface ObservedVideo extends Pick<
  VideoRow,
  | 'state'
  | 'progress'
  | 'duration_seconds'
  | 'width'
  | 'height'
  | 'stored_bytes'
  | 'has_poster'
  | 'has_sprite'
  | 'playable'
> {
  readonly failure: VideoState['failure'];
  readonly renditions: VideoState['renditions'];
  readonly captions: VideoState['captions'];
}

const maxPixels = 100_000;
const maxRenditions = 20;
const maxCaptions = 100;

export function toObservedVideo(state: VideoState): ObservedVideo {
  const isFinal = state.state === 'ready' || state.state === 'failed';
  return {
    state: state.state,
    progress: state.state === 'ready' ? 100 : state.progress,
    failure:
      state.state === 'failed'
        ? {
            code: (state.failure?.code ?? 'failed').slice(0, 100),
            message: (state.failure?.message ?? '').slice(0, 500),
          }
        : null,
    duration_seconds: state.durationSeconds === null ? null : Math.max(0, state.durationSeconds),
    width: clampPixels(state.width),
    height: clampPixels(state.height),
    stored_bytes: isFinal ? state.storedBytes : null,
    has_poster: state.hasPoster,
    has_sprite: state.hasSprite,
    playable: state.isPlayable,
    renditions: state.renditions.toSorted((one, other) => other.height - one.height).slice(0, maxRenditions),
    captions: state.captions
      .toSorted((one, other) => (one.language < other.language ? -1 : 1))
      .slice(0, maxCaptions)
      .map(({ language, label }) => ({ language: language.slice(0, 35), label: label.slice(0, 100) })),
  };
}

function clampPixels(count: number | null): number | null {
  return count === null ? null : Math.min(maxPixels, Math.max(0, Math.round(count)));
}

/** A change of only these emits no event, since they change every few seconds. */
const columnsWithoutEvent: ReadonlySet<string> = new Set(['progress', 'stored_bytes', 'has_sprite', 'playable']);

export function needsEvent(row: VideoRow, video: ObservedVideo): boolean {
  return Object.entries(video).some(
    ([name, value]) => !columnsWithoutEvent.has(name) && !isDeepStrictEqual(value, row[name as keyof ObservedVideo]),
  );
}

export function eventNameOf(row: VideoRow, video: Pick<VideoRow, 'state'>) {
  if (row.state === video.state) return 'video.updated';
  if (video.state === 'ready') return 'video.ready';
  return video.state === 'failed' ? 'video.failed' : 'video.updated';
}
