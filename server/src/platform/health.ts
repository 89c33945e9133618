/** The states of the parts of this process: `ok`, or one word for the failure. */
export interface Health {
  watch(part: string, stateOf: () => string): void;
  states(): Record<string, string>;
}

export function createHealth(): Health {
  const parts = new Map<string, () => string>();
  return {
    watch: (part, stateOf) => void parts.set(part, stateOf),
    states: () => Object.fromEntries([...parts].map(([part, stateOf]) => [part, stateOf()])),
  };
}
