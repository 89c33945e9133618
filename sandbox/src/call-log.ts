/** One call received below the API's prefix. */
export interface LoggedCall {
  at: number;
  /** The path after the prefix; `root` for the prefix itself. */
  call: string;
  method: string;
  /** The raw query of the request line, without the checksum. */
  query: string;
  /** From query and body together, without the checksum. */
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

/** Keeps the newest thousand calls. */
export function createCallLog(): CallLog {
  let calls: LoggedCall[] = [];
  return {
    entries: () => calls,
    add(entry) {
      calls.push(entry);
      if (calls.length > limit) calls = calls.slice(-limit);
    },
    clear() {
      calls = [];
    },
  };
}

const limit = 1_000;
