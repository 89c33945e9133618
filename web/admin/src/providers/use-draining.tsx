import { Menu, Text } from '@mantine/core';
import { IconDropletOff, IconPlayerPlay } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged, type WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { text, textOrNull } from '../../../kit/noun/noun.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ServiceProviderRow } from '../nouns/rows.ts';

export interface Draining {
  readonly isDraining: boolean;
  readonly isAllowed: boolean;
  readonly isBusy: boolean;
  /** Starts draining after confirmation, or ends it at once. */
  readonly toggle: () => void;
  readonly item: ReactNode;
  readonly dialog: ReactNode;
}

/** Starts and ends draining: state, menu item and dialog for the screens that offer it. */
export function useDraining(row: ServiceProviderRow): Draining {
  const may = useMay();
  const { isBusy, run } = useAction();
  const [isConfirming, setConfirming] = useState(false);
  const isDraining = row.draining;
  const isAllowed = may('updateServiceProvider');
  const name = text(row, 'provider_name');
  const pool = textOrNull(row, 'pool');

  function change(draining: boolean): Promise<unknown> {
    const params = { service_provider_id: row.id };
    const target: WriteTarget = { read: 'readServiceProvider', params, fields: ['draining', 'pool'] };
    return writeIfUnchanged(target, versionOfListRow(row), (ifMatch) =>
      client.updateServiceProvider({ params, body: { draining }, ifMatch }),
    );
  }

  function toggle(): void {
    if (isDraining) run(() => change(false), `${name} takes new meetings again.`);
    else setConfirming(true);
  }

  return {
    isDraining,
    isAllowed,
    isBusy,
    toggle,
    item: isAllowed && (
      <Menu.Item
        leftSection={isDraining ? <IconPlayerPlay size={16} /> : <IconDropletOff size={16} />}
        disabled={isBusy}
        onClick={toggle}
      >
        {drainingActionLabel(isDraining)}
      </Menu.Item>
    ),
    dialog: (
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Drain “${name}”?`}
        confirmLabel="Drain"
        isDangerous={false}
        onConfirm={async () => {
          await change(true);
          await refreshEverything();
          showDone(`${name} takes no new meetings now.`);
        }}
      >
        <Text c="dimmed">
          No new meetings start on this server.{' '}
          {pool === null
            ? 'Subscriptions that have no other provider can’t start meetings until you end draining.'
            : `Other providers of the pool “${pool}” take them.`}{' '}
          Running meetings continue until they end.
        </Text>
      </ConfirmDialog>
    ),
  };
}

export function drainingActionLabel(isDraining: boolean): string {
  return isDraining ? 'Take meetings again' : 'Drain…';
}
