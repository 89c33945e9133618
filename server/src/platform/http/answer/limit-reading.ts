/** How long the client of a streamed answer may take. */
export interface ReadingLimits {
  /** How long it may read nothing. */
  readonly stallMs: number;
  /** How long it may take in total. */
  readonly totalMs: number;
}

const defaultLimits: ReadingLimits = { stallMs: 60_000, totalMs: 600_000 };

/** Passes chunks on, and disconnects a client that reads too slowly, since each stream holds a database connection. */
export async function* limitReading<Chunk>(
  chunks: AsyncIterable<Chunk>,
  disconnect: () => void,
  { stallMs, totalMs }: ReadingLimits = defaultLimits,
): AsyncGenerator<Chunk> {
  const timer = setTimeout(disconnect, totalMs);
  try {
    for await (const chunk of chunks) {
      const stalled = setTimeout(disconnect, stallMs);
      try {
        yield chunk;
      } finally {
        clearTimeout(stalled);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
