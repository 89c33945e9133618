import { FoyerError } from '@foyer/sdk';
import { useState } from 'react';
import { withFieldLabels } from '../format/sentences.ts';

export interface Submission {
  readonly isBusy: boolean;
  readonly failure: unknown;
  /** The error of a member, to be shown at its input. */
  readonly faultOf: (name: string) => string | null;
  /** The failure, unless it has an error for one of these inputs; null otherwise. */
  readonly failureOutsideFields: (...inputNames: readonly string[]) => unknown;
  /** Runs the action. If it fails, the first error in the form is scrolled into view. */
  readonly run: (action: () => Promise<void>, form?: HTMLFormElement) => void;
  readonly forget: () => void;
}

/** Submits a small form and keeps its error. */
export function useSubmission(): Submission {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const errors = failure instanceof FoyerError ? failure.errors : {};

  async function runNow(action: () => Promise<void>, form: HTMLFormElement | undefined): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      await action();
    } catch (error) {
      setFailure(error);
      requestAnimationFrame(() => showFault(form));
    } finally {
      setBusy(false);
    }
  }

  return {
    isBusy,
    failure,
    faultOf: (name) => errors[name]?.map((sentence) => withFieldLabels(sentence)).join(' ') ?? null,
    failureOutsideFields: (...inputNames) => (inputNames.some((name) => errors[name] !== undefined) ? null : failure),
    run: (action, form) => void runNow(action, form),
    forget: () => setFailure(null),
  };
}

function showFault(form: HTMLFormElement | undefined): void {
  const fault = form?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]');
  fault?.scrollIntoView({ block: 'nearest' });
  fault?.focus();
}
