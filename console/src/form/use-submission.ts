import { FoyerError } from '@foyer/sdk';
import { useState } from 'react';

export interface Submission {
  readonly isBusy: boolean;
  readonly failure: unknown;
  /** What is wrong with a member of the body, to be shown at its input. */
  readonly faultOf: (name: string) => string | null;
  /** The failure, where no input of the form shows it. */
  readonly strayFailure: (...shown: readonly string[]) => unknown;
  readonly run: (action: () => Promise<void>) => void;
  readonly forget: () => void;
}

/** Sends a small form, and keeps what was refused. */
export function useSubmission(): Submission {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const errors = failure instanceof FoyerError ? failure.errors : {};

  async function runNow(action: () => Promise<void>): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      await action();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return {
    isBusy,
    failure,
    faultOf: (name) => errors[name]?.join(' ') ?? null,
    strayFailure: (...shown) => (shown.some((name) => errors[name] !== undefined) ? null : failure),
    run: (action) => void runNow(action),
    forget: () => setFailure(null),
  };
}
