import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { versionOfListRow } from '../../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../../kit/concurrency/write-if-unchanged.ts';
import { lowered, wordOf } from '../../../../kit/format/label.ts';
import { bodyOf } from './use-creation.tsx';
import { ConfirmDialog } from '../../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import { type Noun, type Row, text } from '../../../../kit/noun/noun.ts';
import { callEndpoint, refreshEverything } from '../../../../kit/api/client.ts';
import { useMay } from '../../../../kit/noun/app.tsx';
import { moveBeforeDeletion, type StatusMove } from './status-moves.ts';

interface Deletion {
  readonly isAllowed: boolean;
  readonly open: () => void;
  readonly dialog: ReactNode;
}

/** @param ask opens the dialog of the status change that is required before deletion */
export function useDeletion(noun: Noun, row: Row, ask: (move: StatusMove) => void): Deletion {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const navigate = useNavigate();
  const { remove } = noun;
  if (remove === undefined || !may(remove)) return { isAllowed: false, open: () => {}, dialog: null };
  const name = noun.titleOf(row);
  const requiredMove = noun.update !== undefined && may(noun.update) ? moveBeforeDeletion(noun.path, row) : null;

  async function confirm(): Promise<void> {
    if (remove === undefined) return;
    const params = { [noun.param]: row.id };
    const fields = ['status', ...(noun.update === undefined ? [] : Object.keys(bodyOf(noun.update).properties))];
    await writeIfUnchanged({ read: noun.read, params, fields }, versionOfListRow(row), (ifMatch) =>
      callEndpoint(remove, { params, ifMatch }),
    );
    showDone(`${name} has been deleted.`);
    await navigate({ to: '/$noun', params: { noun: noun.path } });
    await refreshEverything();
  }

  return {
    isAllowed: true,
    open: () => setOpen(true),
    dialog:
      requiredMove === null ? (
        <ConfirmDialog
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          title={`Delete “${name}”?`}
          confirmLabel={`Delete ${noun.singular}`}
          onConfirm={confirm}
        >
          {noun.deletion}
        </ConfirmDialog>
      ) : (
        <RequiredMoveDialog
          isOpen={isOpen}
          noun={noun}
          row={row}
          move={requiredMove}
          onClose={() => setOpen(false)}
          onContinue={() => {
            setOpen(false);
            ask(requiredMove);
          }}
        />
      ),
  };
}

/** Offers the status change that is required before deletion. */
function RequiredMoveDialog(props: {
  readonly isOpen: boolean;
  readonly noun: Noun;
  readonly row: Row;
  readonly move: StatusMove;
  readonly onClose: () => void;
  readonly onContinue: () => void;
}) {
  const { noun, row, move } = props;
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={`“${noun.titleOf(row)}” cannot be deleted yet`}>
      <Stack>
        <Text c="dimmed">
          {noun.deletion} This one is {lowered(wordOf(text(row, 'status')))}.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose} data-autofocus>
            Cancel
          </Button>
          <Button variant="light" color={move.isDangerous ? 'red' : 'pine'} onClick={props.onContinue}>
            {move.verb} first…
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
