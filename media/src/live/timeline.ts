import type { FlvTag } from './media/flv.ts';

export interface Timeline {
  /** Returns the tag with a timestamp that continues from the last encoder. */
  adjust(tag: FlvTag): FlvTag;
  /** Called when another encoder starts. */
  restart(): void;
}

/** A larger step is a restart of the encoder's clock, not a pause. */
const maxStepMs = 10_000;
const stepAfterRestartMs = 40;

/** A continuous time for a session with several encoders, which have their own clocks. */
export function createTimeline(): Timeline {
  let offsetMs: number | null = null;
  let lastMs = -stepAfterRestartMs;
  const lastByType = { audio: -1, video: -1, data: -1 };
  return {
    adjust(tag) {
      offsetMs ??= lastMs + stepAfterRestartMs - tag.timestamp;
      if (Math.abs(tag.timestamp + offsetMs - lastMs) > maxStepMs)
        offsetMs = lastMs + stepAfterRestartMs - tag.timestamp;
      const timestamp = Math.max(tag.timestamp + offsetMs, lastByType[tag.type]);
      lastByType[tag.type] = timestamp;
      lastMs = Math.max(lastMs, timestamp);
      return { ...tag, timestamp };
    },
    restart() {
      offsetMs = null;
    },
  };
}
