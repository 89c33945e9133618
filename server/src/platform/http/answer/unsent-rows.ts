import { Failure, unavailable } from '../../failures.ts';

/** Counts the memory of rows whose answers are being sent. A client that reads slowly keeps them in memory. */
export interface UnsentRows {
  /** Called before rows are loaded that may be long. @throws 429 `too-many-at-once` at half the limit of the caller */
  check(caller: string): void;
  /**
   * @returns the function that releases them.
   * @throws 429 `too-many-at-once` above the limit of the caller, 503 `busy` above that of the process
   */
  hold(caller: string, bytes: number): () => void;
}

/** Answers with less are not counted: most are sent at once. */
const minBytes = 262_144;
const callerBytes = 33_554_432;
const processBytes = 201_326_592;

export function createUnsentRows(): UnsentRows {
  const byCaller = new Map<string, number>();
  let total = 0;
  function add(caller: string, bytes: number): void {
    const callerTotal = (byCaller.get(caller) ?? 0) + bytes;
    if (callerTotal === 0) byCaller.delete(caller);
    else byCaller.set(caller, callerTotal);
    total += bytes;
  }
  return {
    check(caller) {
      if ((byCaller.get(caller) ?? 0) >= callerBytes / 2) throw tooManyUnread();
    },
    hold(caller, bytes) {
      if (bytes < minBytes) return () => undefined;
      const callerTotal = byCaller.get(caller) ?? 0;
      // A single answer is never too long by itself.
      if (callerTotal > 0 && callerTotal + bytes > callerBytes) throw tooManyUnread();
      if (total > 0 && total + bytes > processBytes)
        throw unavailable('busy', 'The server is busy. Please try again, or ask for fewer rows.');
      add(caller, bytes);
      let isCounted = true;
      return () => {
        if (isCounted) add(caller, -bytes);
        isCounted = false;
      };
    },
  };
}

function tooManyUnread(): Failure {
  const sentence = 'You have too many long answers that you have not read yet. Read them first, or ask for fewer rows.';
  return new Failure('too-many-at-once', sentence, { retryAfter: 1 });
}
