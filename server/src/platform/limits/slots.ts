import { unavailable } from '../failures.ts';

/** A semaphore per key. Callers that find no free slot wait in a queue. */
export interface Slots {
  /** @throws 503 `busy` if no slot is released within `withinMs`; without `withinMs` it waits without a limit. */
  run<Outcome>(key: string, act: () => Promise<Outcome>, withinMs?: number): Promise<Outcome>;
  /** @returns the function that releases the slot; null if all slots are in use. */
  tryEnter(key: string): (() => void) | null;
  /** @returns the function that releases the slot. @throws 503 `busy` when none is released in time. */
  enter(key: string, withinMs: number): Promise<() => void>;
}

interface Queue {
  running: number;
  readonly waiting: (() => void)[];
}

interface SlotOptions {
  /** The length of a queue; further callers get 503 `busy` immediately. */
  readonly maxWaiting?: number;
  /** The sentence of 503 `busy`. */
  readonly busy?: string;
  /** A waiting caller gets a slot after a pause: three times as long as the slot was in use, at most this many ms. */
  readonly maxPauseMs?: number;
}

/** The pause after the use of a slot, as a multiple of its duration. */
const pauseFactor = 3;

export function createSlots(
  concurrency: number,
  { maxWaiting = Infinity, busy = 'The server is busy. Please try again.', maxPauseMs = 0 }: SlotOptions = {},
): Slots {
  const queues = new Map<string, Queue>();

  function releaseAfter(key: string, queue: Queue): () => void {
    const startMs = performance.now();
    return runOnce(() => {
      const pauseMs = Math.min(pauseFactor * (performance.now() - startMs), maxPauseMs);
      if (pauseMs > 0 && queue.waiting.length > 0) setTimeout(() => passSlot(key, queue), pauseMs);
      else passSlot(key, queue);
    });
  }
  function passSlot(key: string, queue: Queue): void {
    const next = queue.waiting.shift();
    // The slot passes to the first waiting caller, so that a new caller cannot overtake it.
    if (next) return next();
    queue.running -= 1;
    if (queue.running === 0) queues.delete(key);
  }
  function queueOf(key: string): Queue {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    return queue;
  }
  function tryEnter(key: string): (() => void) | null {
    const queue = queueOf(key);
    if (queue.running >= concurrency) return null;
    queue.running += 1;
    return releaseAfter(key, queue);
  }
  async function enter(key: string, withinMs: number | null = null): Promise<() => void> {
    const immediateRelease = tryEnter(key);
    if (immediateRelease) return immediateRelease;
    const queue = queueOf(key);
    if (queue.waiting.length >= maxWaiting) throw unavailable('busy', busy);
    await new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      queue.waiting.push(admit);
      if (withinMs === null) return;
      timer = setTimeout(() => {
        queue.waiting.splice(queue.waiting.indexOf(admit), 1);
        reject(unavailable('busy', busy));
      }, withinMs);
    });
    return releaseAfter(key, queue);
  }
  return {
    tryEnter,
    enter,
    async run(key, act, withinMs) {
      const releaseSlot = await enter(key, withinMs);
      try {
        return await act();
      } finally {
        releaseSlot();
      }
    },
  };
}

function runOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
