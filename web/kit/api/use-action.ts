import { useState } from 'react';
import { refreshEverything } from './client.ts';
import { showDone, showFailure } from '../display/notices/toasts.ts';

/** Runs a change, shows its result, and refreshes all queries. */
export function useAction(): { isBusy: boolean; run: (action: () => Promise<unknown>, doneText: string) => void } {
  const [isBusy, setBusy] = useState(false);
  async function runNow(action: () => Promise<unknown>, doneText: string): Promise<void> {
    setBusy(true);
    try {
      await action();
      await refreshEverything();
      showDone(doneText);
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, run: (action, doneText) => void runNow(action, doneText) };
}
