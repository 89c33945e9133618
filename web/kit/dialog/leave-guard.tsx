import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

export interface LeaveGuard {
  /** Goes at once where nothing would be lost, else once that has been agreed to. */
  readonly leave: (go: () => void) => void;
  readonly isAsking: boolean;
  readonly dialog: ReactNode;
}

/** Asks before what was typed is dropped: by closing, by another page, by the browser's own buttons. */
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
      // After the key that asked for it: the same press of Escape would close the question again.
      setTimeout(() => setPending({ go }), 0);
    },
    isAsking,
    dialog: (
      <ConfirmDialog
        isOpen={isAsking}
        onClose={stay}
        title="Discard what you typed?"
        confirmLabel="Discard"
        keepLabel="Go on typing"
        onConfirm={discard}
      >
        It has not been saved.
      </ConfirmDialog>
    ),
  };
}
