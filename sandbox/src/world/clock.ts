/** The server's time in milliseconds since 1970: the source's time plus a settable offset. */
export interface SandboxClock {
  now(): number;
  advance(milliseconds: number): void;
  setTo(instant: number): void;
  /** Resets to the time of the source. */
  reset(): void;
}

export function createClock(source: () => number = Date.now): SandboxClock {
  let offsetMs = 0;
  return {
    now: () => source() + offsetMs,
    advance(milliseconds) {
      offsetMs += milliseconds;
    },
    setTo(instant) {
      offsetMs = instant - source();
    },
    reset() {
      offsetMs = 0;
    },
  };
}
