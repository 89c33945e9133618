const waiting: (() => void)[] = [];
let isScheduled = false;
let sliceStartMs = 0;

/** The pause after a slice of long work, as a multiple of its duration. */
const pauseFactor = 4;

/**
 * Waits for a later turn of the event loop. In each turn only one caller of this process continues, and each pauses
 * the next for longer than it ran itself: however many long answers are printed, most of the time is left for short
 * requests.
 */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (isScheduled) return;
    isScheduled = true;
    scheduleSlice();
  });
}

/** Both callbacks run in the same turn; the work of the resumed caller is done between them. */
function scheduleSlice(): void {
  setImmediate(resumeOne);
  setImmediate(pauseAfterSlice);
}

function resumeOne(): void {
  sliceStartMs = performance.now();
  waiting.shift()?.();
}

function pauseAfterSlice(): void {
  const pauseMs = (performance.now() - sliceStartMs) * pauseFactor;
  if (waiting.length === 0) isScheduled = false;
  else if (pauseMs < 1) scheduleSlice();
  else setTimeout(scheduleSlice, pauseMs);
}
