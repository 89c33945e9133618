import { List, Menu, Stack } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconPower } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { AffectedResources } from '../../customers/affected-resources.tsx';
import { versionOfListRow } from '../../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../../kit/concurrency/write-if-unchanged.ts';
import { ConfirmDialog } from '../../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import type { Noun, Row } from '../../../../kit/noun/noun.ts';
import { callEndpoint, refreshEverything } from '../../../../kit/api/client.ts';
import { useMay } from '../../../../kit/noun/app.tsx';
import { type StatusMove, statusMovesOf } from './status-moves.ts';
import type { CustomerRow } from '../../nouns/rows.ts';

export interface StatusChange {
  readonly moves: readonly StatusMove[];
  readonly items: ReactNode;
  readonly dialog: ReactNode;
  readonly ask: (move: StatusMove) => void;
}

/** Status changes, each with a dialog that lists its effects. */
export function useStatusChange(noun: Noun, row: Row): StatusChange {
  const may = useMay();
  const [pendingMove, setPendingMove] = useState<StatusMove | null>(null);
  const [isOpen, setOpen] = useState(false);
  const { update } = noun;
  const moves = update !== undefined && may(update) ? statusMovesOf(noun.path, row) : [];
  const ask = (move: StatusMove) => {
    setPendingMove(move);
    setOpen(true);
  };

  async function confirm(): Promise<void> {
    if (update === undefined || pendingMove === null) return;
    const target = { read: noun.read, params: { [noun.param]: row.id }, fields: ['status'] };
    await writeIfUnchanged(target, versionOfListRow(row), (ifMatch) =>
      callEndpoint(update, { params: target.params, body: { status: pendingMove.to }, ifMatch }),
    );
    await refreshEverything();
    showDone(`${noun.titleOf(row)} ${pendingMove.outcome}.`);
  }

  return {
    moves,
    ask,
    items: moves.map((move) => {
      const Icon = icons[move.to] ?? IconPower;
      return (
        <Menu.Item
          key={move.to}
          leftSection={<Icon size={16} />}
          {...(move.to === 'terminated' ? { color: 'red' } : {})}
          onClick={() => ask(move)}
        >
          {move.verb}…
        </Menu.Item>
      );
    }),
    dialog: pendingMove && (
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${pendingMove.verb} “${noun.titleOf(row)}”?`}
        confirmLabel={pendingMove.verb}
        isDangerous={pendingMove.isDangerous}
        {...(requiresTyping(noun, pendingMove) ? { typed: noun.titleOf(row) } : {})}
        onConfirm={confirm}
      >
        <Stack gap="xs">
          <List size="sm" spacing={6} c="dimmed">
            {pendingMove.effects.map((effect) => (
              <List.Item key={effect}>{effect}</List.Item>
            ))}
          </List>
          {noun.path === 'customers' && pendingMove.isDangerous && (
            <AffectedResources customer={row as CustomerRow} newStatus={pendingMove.to} />
          )}
        </Stack>
      </ConfirmDialog>
    ),
  };
}

/** Termination is final: the name has to be typed, so that the right customer is terminated. */
function requiresTyping(noun: Noun, move: StatusMove): boolean {
  return noun.path === 'customers' && move.to === 'terminated';
}

const icons: Readonly<Record<string, typeof IconPower>> = {
  active: IconPlayerPlay,
  suspended: IconPlayerPause,
  terminated: IconPlayerStop,
};
