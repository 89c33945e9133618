import { unavailable } from '../failures.ts';

/** A semaphore per key: some callers run at once, the others wait in turn. */
export interface Slots {
  /** @throws 503 `busy` when no slot is released within that time; without one it waits as long as it takes. */
  run<Outcome>(key: string, act: () => Promise<Outcome>, withinMs?: number): Promise<Outcome>;
  /** @returns the function that releases the slot; null when all are taken. */
  tryEnter(key: string): (() => void) | null;
  /** @returns the function that releases the slot. @throws 503 `busy` when none is released in time. */
  enter(key: string, withinMs: number): Promise<() => void>;
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** @param maxWaiting further callers of a key get 503 `busy` at once */
export function createSlots(
  atOnce: number,
  { maxWaiting = Infinity, busy = 'The server is busy. Please try again.' } = {},
): Slots {
  const lines = new Map<string, Line>();

  function release(key: string, line: Line): void {
    const next = line.waiting.shift();
    // The slot passes to the first waiting caller, so that a new caller cannot overtake it.
    if (next) return next();
    line.running -= 1;
    if (line.running === 0) lines.delete(key);
  }
  function lineOf(key: string): Line {
    const line = lines.get(key) ?? { running: 0, waiting: [] };
    lines.set(key, line);
    return line;
  }
  function tryEnter(key: string): (() => void) | null {
    const line = lineOf(key);
    if (line.running >= atOnce) return null;
    line.running += 1;
    return once(() => release(key, line));
  }
  async function enter(key: string, withinMs: number | null = null): Promise<() => void> {
    const now = tryEnter(key);
    if (now) return now;
    const line = lineOf(key);
    if (line.waiting.length >= maxWaiting) throw unavailable('busy', busy);
    await new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      line.waiting.push(go);
      if (withinMs === null) return;
      timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(go), 1);
        reject(unavailable('busy', busy));
      }, withinMs);
    });
    return once(() => release(key, line));
  }
  return {
    tryEnter,
    enter,
    async run(key, act, withinMs) {
      const leave = await enter(key, withinMs);
      try {
        return await act();
      } finally {
        leave();
      }
    },
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
