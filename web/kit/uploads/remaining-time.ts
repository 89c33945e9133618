/** The number of bytes sent until `atMs`. */
export interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/** A longer window would react too slowly to a changing connection. */
const windowMs = 8000;

export function withSample(samples: readonly Sample[], sample: Sample): Sample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= windowMs), sample];
}

/** @returns bytes per second; null as long as it is not known */
export function speedOf(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < 500) return null;
  return Math.max(0, ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1000);
}

/** "about 3 min left"; null if it is not known. */
export function remainingText(bytesLeft: number, bytesPerSecond: number | null): string | null {
  if (bytesPerSecond === null || bytesPerSecond <= 0) return null;
  const seconds = bytesLeft / bytesPerSecond;
  if (seconds < 60) return 'less than a minute left';
  const minutes = Math.round(seconds / 60);
  return minutes < 60
    ? `about ${minutes} min left`
    : `about ${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min left`;
}
