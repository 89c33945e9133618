import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../layout/confirm-dialog.tsx';
import { showDone } from '../layout/toasts.ts';
import type { Noun, Row } from '../nouns/noun.ts';
import { callEndpoint, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';

export function useDeletion(noun: Noun, row: Row): { isAllowed: boolean; open: () => void; dialog: ReactNode } {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const navigate = useNavigate();
  const { remove } = noun;
  if (remove === undefined || !may(remove)) return { isAllowed: false, open: () => {}, dialog: null };
  const name = noun.titleOf(row);

  async function confirm(): Promise<void> {
    if (remove === undefined) return;
    await callEndpoint(remove, { params: { [noun.param]: row.id } });
    showDone(`${name} has been deleted.`);
    await navigate({ to: '/$noun', params: { noun: noun.path } });
    await refreshEverything();
  }

  return {
    isAllowed: true,
    open: () => setOpen(true),
    dialog: (
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete “${name}”?`}
        confirmLabel={`Delete ${noun.singular}`}
        onConfirm={confirm}
      >
        {noun.deletion}
      </ConfirmDialog>
    ),
  };
}
