import type { FlvTag } from './media/flv.ts';

export interface Timeline {
  /** The tag with a time that continues from the last encoder. */
  place(tag: FlvTag): FlvTag;
  /** Another encoder starts. */
  restart(): void;
}

/** A larger step is a new start of the encoder's clock, not a pause, in milliseconds. */
const largestStep = 10_000;
const stepAfterRestart = 40;

/** A continuous time for a session with several encoders, which have their own clocks. */
export function createTimeline(): Timeline {
  let offset: number | null = null;
  let last = -stepAfterRestart;
  const lasts = { audio: -1, video: -1, data: -1 };
  return {
    place(tag) {
      offset ??= last + stepAfterRestart - tag.timestamp;
      if (Math.abs(tag.timestamp + offset - last) > largestStep) offset = last + stepAfterRestart - tag.timestamp;
      const timestamp = Math.max(tag.timestamp + offset, lasts[tag.type]);
      lasts[tag.type] = timestamp;
      last = Math.max(last, timestamp);
      return { ...tag, timestamp };
    },
    restart() {
      offset = null;
    },
  };
}
