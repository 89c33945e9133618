import type { FlvTag } from './media/flv.ts';

export interface Timeline {
  /** The tag with a time that goes on where the last encoder stopped. */
  place(tag: FlvTag): FlvTag;
  /** Another encoder begins. */
  restart(): void;
}

/** A larger step is a new start of the encoder's clock, not a pause, in milliseconds. */
const largestStep = 10_000;
const stepAfterRestart = 40;

/** One clock for a session, whatever clocks its encoders have. */
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
