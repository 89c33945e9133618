import type { FlvTag } from './media/flv.ts';

export interface Timeline {
  /** Returns the tag with a timestamp that continues from the last encoder. */
  adjust(tag: FlvTag): FlvTag;
  /** Another encoder starts. */
  restart(): void;
}

/** In milliseconds. A larger step is a restart of the encoder's clock, not a pause. */
const maxStepMs = 10_000;
const stepAfterRestart = 40;

/** A continuous time for a session with several encoders, which have their own clocks. */
export function createTimeline(): Timeline {
  let offset: number | null = null;
  let last = -stepAfterRestart;
  const lastByType = { audio: -1, video: -1, data: -1 };
  return {
    adjust(tag) {
      offset ??= last + stepAfterRestart - tag.timestamp;
      if (Math.abs(tag.timestamp + offset - last) > maxStepMs) offset = last + stepAfterRestart - tag.timestamp;
      const timestamp = Math.max(tag.timestamp + offset, lastByType[tag.type]);
      lastByType[tag.type] = timestamp;
      last = Math.max(last, timestamp);
      return { ...tag, timestamp };
    },
    restart() {
      offset = null;
    },
  };
}
