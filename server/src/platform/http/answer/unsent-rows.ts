import { Failure, unavailable } from '../../failures.ts';

/** Counts the memory of rows whose answers are being sent. A client that reads slowly keeps them in memory. */
export interface UnsentRows {
  /** Called before many or long rows are loaded. @throws 429 `too-many-at-once` at half the limit of the caller */
  check(caller: string): void;
  /**
   * @returns a function that stops counting the rows, once their answer has been sent
   * @throws 429 `too-many-at-once` above the limit of the caller, 503 `busy` above the limit of the process
   */
  hold(caller: string, bytes: number): () => void;
}

/** Smaller answers are not counted, since most of them are sent immediately. */
const minBytes = 262_144;
const maxCallerBytes = 33_554_432;
const maxProcessBytes = 201_326_592;

export function createUnsentRows(): UnsentRows {
  const bytesByCaller = new Map<string, number>();
  let totalBytes = 0;
  function add(caller: string, bytes: number): void {
    const callerTotal = (bytesByCaller.get(caller) ?? 0) + bytes;
    if (callerTotal === 0) bytesByCaller.delete(caller);
    else bytesByCaller.set(caller, callerTotal);
    totalBytes += bytes;
  }
  return {
    check(caller) {
      if ((bytesByCaller.get(caller) ?? 0) >= maxCallerBytes / 2) throw tooManyUnread();
    },
    hold(caller, bytes) {
      if (bytes < minBytes) return () => undefined;
      const callerTotal = bytesByCaller.get(caller) ?? 0;
      // A single answer is never too long by itself.
      if (callerTotal > 0 && callerTotal + bytes > maxCallerBytes) throw tooManyUnread();
      if (totalBytes > 0 && totalBytes + bytes > maxProcessBytes)
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
