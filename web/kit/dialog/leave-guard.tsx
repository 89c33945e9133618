import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

export interface LeaveGuard {
  /** Leaves immediately if no input would be lost, else after confirmation. */
  readonly leave: (go: () => void) => void;
  readonly isAsking: boolean;
  readonly dialog: ReactNode;
}

/** Asks before input is discarded: on close, on navigation and by the browser's buttons. */
export function useLeaveGuard(isDirty: boolean): LeaveGuard {
  const [pending, setPending] = useState<{ readonly go: () => void } | null>(null);
  const dirty = useRef(isDirty);
  useLayoutEffect(() => {
    dirty.current = isDirty;
  }, [isDirty]);
  const blocker = useBlocker({
    shouldBlockFn: () => dirty.current,
    enableBeforeUnload: () => dirty.current,
    disabled: !isDirty,
    withResolver: true,
  });
  const isAsking = pending !== null || blocker.status === 'blocked';

  function stay(): void {
    setPending(null);
    if (blocker.status === 'blocked') blocker.reset();
  }
  function discard(): Promise<void> {
    if (blocker.status === 'blocked') blocker.proceed();
    else pending?.go();
    setPending(null);
    return Promise.resolve();
  }

  return {
    leave: (go) => {
      if (!dirty.current) return go();
      // Deferred: the key press that opened the question would otherwise close it again.
      setTimeout(() => setPending({ go }), 0);
    },
    isAsking,
    dialog: (
      <ConfirmDialog
        isOpen={isAsking}
        onClose={stay}
        title="Discard your changes?"
        confirmLabel="Discard"
        keepLabel="Keep editing"
        onConfirm={discard}
      >
        Your changes have not been saved.
      </ConfirmDialog>
    ),
  };
}
