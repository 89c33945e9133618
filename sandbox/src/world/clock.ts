/** The server's time in milliseconds since 1970: the source's time plus a settable offset. */
export interface SandboxClock {
  now(): number;
  advance(milliseconds: number): void;
  setTo(instant: number): void;
  /** Resets to the time of the source. */
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
