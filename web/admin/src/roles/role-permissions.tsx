import { counted } from '../../../kit/format/counted.ts';
import { Alert, Button, Group, Paper, Text } from '@mantine/core';
import { dashboardPermission, type PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { mergeSets } from '../../../kit/concurrency/merge.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { FailureNotice, LoadingNotice, RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { defaultRole } from '../nouns/access-nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { useCaller } from '../session/caller.tsx';
import { PermissionMatrix } from './permission-matrix.tsx';
import { permissionChanges, permissionLabel } from './permission-rows.ts';
import type { RoleRow } from '../nouns/rows.ts';

/** Edits the permissions of a role and saves them together. */
export function RolePermissions({ row }: { readonly row: RoleRow }) {
  const catalogue = useQuery({
    queryKey: ['listPermissions', 'all'],
    staleTime: 300_000,
    queryFn: ({ signal }) => client.listPermissions({ query: { limit: 0, count: false }, signal }),
  });
  if (catalogue.error) return <FailureNotice error={catalogue.error} onRetry={() => void catalogue.refetch()} />;
  if (!catalogue.data) return <LoadingNotice />;
  const ids = new Map(catalogue.data.data.map(({ name, id }) => [name, id]));
  const rolePermissions = (row.permissions as { data?: readonly { name: string }[] } | undefined)?.data ?? [];
  const stored = rolePermissions.map(({ name }) => name).sort();
  return <Matrix row={row} stored={new Set(stored)} ids={ids} />;
}

function Matrix(props: {
  readonly row: RoleRow;
  readonly stored: ReadonlySet<string>;
  readonly ids: ReadonlyMap<string, string>;
}) {
  const { row, stored, ids } = props;
  const [lastStored, setLastStored] = useState(stored);
  const [chosen, setChosen] = useState(stored);
  // Changes by other people are merged; unsaved selections stay.
  if ([...lastStored].join() !== [...stored].join()) {
    setLastStored(stored);
    setChosen(mergeSets(lastStored, stored, chosen));
  }
  const [addedReads, setAddedReads] = useState<readonly PermissionName[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const may = useMay();
  const { permissions: callerPermissions } = useCaller();
  const isDefault = row.name === defaultRole;
  const isReadOnly = isDefault || !may('syncPermissions');
  const { added, removed } = permissionChanges(stored, chosen);
  const count = added.length + removed.length;
  const blocker = useBlocker({
    shouldBlockFn: () => count > 0 && !isBusy,
    enableBeforeUnload: () => count > 0,
    withResolver: true,
  });

  function lockOf(name: PermissionName): string | null {
    if (isReadOnly) return '';
    if (name === dashboardPermission) return 'Every role has this permission.';
    return callerPermissions.includes(name)
      ? null
      : 'You do not have this permission, so you cannot grant or remove it.';
  }

  function choose(next: ReadonlySet<string>, reads: readonly PermissionName[]): void {
    setChosen(next);
    setAddedReads(reads);
  }

  async function save(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      // Only the differences are sent, so that concurrent changes by other people are kept.
      const idsOf = (names: readonly string[]) => names.flatMap((name) => ids.get(name) ?? []);
      if (added.length > 0)
        await client.attachPermissions({ body: { role_id: row.id, permissions_ids: idsOf(added) } });
      if (removed.length > 0)
        await client.detachPermissions({ body: { role_id: row.id, permissions_ids: idsOf(removed) } });
      await refreshEverything();
      showDone('The permissions have been saved and apply immediately.');
    } catch (error) {
      setFailure(error);
      await refreshEverything();
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      {isDefault && (
        <Alert mb="lg" color="gray" variant="light" icon={<IconInfoCircle size={18} />}>
          This role has all permissions, including those that later versions add. It cannot be changed.
        </Alert>
      )}
      <RefusalAlert error={failure} />
      <PermissionMatrix chosen={chosen} lockOf={lockOf} onChange={choose} />
      {!isReadOnly && count > 0 && (
        <Paper className="save-bar" role="region" aria-label="Unsaved changes">
          <Text role="status" fz="sm">
            <b>{counted(count, 'unsaved change')}</b>
            {added.length > 0 && ` · ${added.length} added`}
            {removed.length > 0 && ` · ${removed.length} removed`}
            {addedReads.length > 0 && (
              <Text component="span" inherit c="dimmed">
                {' '}
                · Also selected: {addedReads.map(permissionLabel).join(', ')}
              </Text>
            )}
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" disabled={isBusy} onClick={() => choose(stored, [])}>
              Undo
            </Button>
            <Button loading={isBusy} onClick={() => void save()}>
              Save permissions
            </Button>
          </Group>
        </Paper>
      )}
      <ConfirmDialog
        isOpen={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title="Leave without saving?"
        confirmLabel="Leave"
        onConfirm={() => Promise.resolve(blocker.proceed?.())}
      >
        Your changes to the permissions are not saved yet.
      </ConfirmDialog>
    </>
  );
}
