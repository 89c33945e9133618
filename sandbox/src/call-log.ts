/** One call received below the API's prefix. */
export interface LoggedCall {
  at: number;
  /** The path after the prefix; `root` for the prefix itself. */
  call: string;
  method: string;
  /** The raw query of the request line, without the checksum. */
  query: string;
  /** The parameters of query and body, without the checksum. */
  parameters: Record<string, string>;
  status: number | null;
  returncode: string | null;
  messageKey: string | null;
  /** The kind of the fault that was injected into this call. */
  fault: string | null;
}

export interface CallLog {
  entries(): readonly LoggedCall[];
  add(entry: LoggedCall): void;
  clear(): void;
}

/** Keeps the newest 1,000 calls. */
export function createCallLog(): CallLog {
  let calls: LoggedCall[] = [];
  return {
    entries: () => calls,
    add(entry) {
      calls.push(entry);
      if (calls.length > maxCalls) calls = calls.slice(-maxCalls);
    },
    clear() {
      calls = [];
    },
  };
}

const maxCalls = 1_000;
