/** Lets a few of the same key through at once; the others wait in turn, and hold nothing meanwhile. */
export interface Slots {
  run<Outcome>(key: string, act: () => Promise<Outcome>): Promise<Outcome>;
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export function createSlots(atOnce: number): Slots {
  const lines = new Map<string, Line>();
  return {
    async run(key, act) {
      const line = lines.get(key) ?? { running: 0, waiting: [] };
      lines.set(key, line);
      // Whoever ends hands its place over, so that nobody who comes meanwhile takes it.
      if (line.running < atOnce) line.running += 1;
      else await new Promise<void>((resolve) => line.waiting.push(resolve));
      try {
        return await act();
      } finally {
        const next = line.waiting.shift();
        if (next) next();
        else line.running -= 1;
        if (line.running === 0) lines.delete(key);
      }
    },
  };
}
