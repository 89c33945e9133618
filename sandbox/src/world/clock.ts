/** The server's time in milliseconds since 1970. It runs with its source, shifted by what was asked for. */
export interface SandboxClock {
  now(): number;
  advance(milliseconds: number): void;
  setTo(instant: number): void;
  /** Back to the time of the source. */
  reset(): void;
}

export function createClock(source: () => number = Date.now): SandboxClock {
  let shift = 0;
  return {
    now: () => source() + shift,
    advance(milliseconds) {
      shift += milliseconds;
    },
    setTo(instant) {
      shift = instant - source();
    },
    reset() {
      shift = 0;
    },
  };
}
