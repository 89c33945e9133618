import { Failure, unavailable } from '../../failures.ts';

/** Who reads an answer. */
export interface AnswerReader {
  readonly caller: string;
  /** The tenant of a user; null for other callers. */
  readonly tenant: string | null;
}

/** Counts the memory of rows whose answers are being sent. A client that reads slowly keeps them in memory. */
export interface UnsentRows {
  /** Called before many or long rows are loaded. @throws 429 `too-many-at-once` at half the limit of the caller */
  check(reader: AnswerReader): void;
  /**
   * @returns a function that stops counting the rows, once their answer has been sent
   * @throws 429 `too-many-at-once` above the limit of the caller or its tenant, 503 `busy` above that of the process
   */
  hold(reader: AnswerReader, bytes: number): () => void;
}

/** Smaller answers are not counted, since most of them are sent immediately. */
const minBytes = 32_768;
const maxCallerBytes = 33_554_432;
const maxTenantBytes = 67_108_864;
const maxProcessBytes = 201_326_592;

export function createUnsentRows(): UnsentRows {
  const bytesByReader = new Map<string, number>();
  let totalBytes = 0;
  const bytesOf = (key: string) => bytesByReader.get(key) ?? 0;
  function add(key: string, bytes: number): void {
    const sum = bytesOf(key) + bytes;
    if (sum === 0) bytesByReader.delete(key);
    else bytesByReader.set(key, sum);
  }
  /** A single answer is never too long by itself. */
  const exceeds = (bytesBefore: number, bytes: number, maximum: number) =>
    bytesBefore > 0 && bytesBefore + bytes > maximum;
  return {
    check({ caller }) {
      if (bytesOf(caller) >= maxCallerBytes / 2) throw tooManyUnread();
    },
    hold({ caller, tenant }, bytes) {
      if (bytes < minBytes) return () => undefined;
      const tenantKey = tenant === null ? null : `tenant ${tenant}`;
      if (exceeds(bytesOf(caller), bytes, maxCallerBytes)) throw tooManyUnread();
      if (tenantKey !== null && exceeds(bytesOf(tenantKey), bytes, maxTenantBytes)) throw tooManyUnread();
      if (exceeds(totalBytes, bytes, maxProcessBytes))
        throw unavailable('busy', 'The server is busy. Please try again, or ask for fewer rows.');
      function count(change: number): void {
        add(caller, change);
        if (tenantKey !== null) add(tenantKey, change);
        totalBytes += change;
      }
      count(bytes);
      let isCounted = true;
      return () => {
        if (isCounted) count(-bytes);
        isCounted = false;
      };
    },
  };
}

function tooManyUnread(): Failure {
  const sentence = 'You have too many long answers that you have not read yet. Read them first, or ask for fewer rows.';
  return new Failure('too-many-at-once', sentence, { retryAfter: 1 });
}
