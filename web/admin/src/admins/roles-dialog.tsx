import { Badge, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { type PermissionName, permissions } from '@foyer/contract/conventions/permissions.ts';
import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { FailureNotice, LoadingNotice, RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { defaultRole } from '../nouns/access-nouns.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useCaller } from '../session/caller.tsx';
import { PermissionSummary } from '../roles/permission-summary.tsx';
import type { AdminRow, RoleRow } from '../nouns/rows.ts';

interface Props {
  readonly admin: AdminRow;
  readonly currentRoleIds: readonly string[];
  readonly onClose: () => void;
}

/** Edits all roles of an administrator. */
export function RolesDialog({ admin, currentRoleIds, onClose }: Props) {
  const [initialIds] = useState<readonly string[]>(currentRoleIds);
  const [chosenIds, setChosenIds] = useState<string[]>([...currentRoleIds]);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { permissions: callerPermissions } = useCaller();
  const result = useQuery({
    queryKey: ['listRoles', 'with permissions'],
    queryFn: ({ signal }) => client.listRoles({ query: { limit: 0, count: false, include: 'permissions' }, signal }),
  });
  const name = nouns.admins.titleOf(admin);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      // Sends only the differences, which keeps changes that another person made in the meantime.
      const [added, removed] = [subtract(chosenIds, initialIds), subtract(initialIds, chosenIds)];
      if (added.length > 0) await client.assignRoles({ body: { admin_id: admin.id, roles_ids: added } });
      if (removed.length > 0) await client.revokeRoles({ body: { admin_id: admin.id, roles_ids: removed } });
      await refreshEverything();
      showDone(`The roles of ${name} have been saved.`);
      onClose();
    } catch (error) {
      setFailure(error);
      setBusy(false);
      await refreshEverything();
    }
  }

  return (
    <Modal opened onClose={onClose} size="lg" title={`Roles of ${name}`}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack>
          <RefusalAlert error={failure} />
          {result.error ? (
            <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
          ) : !result.data ? (
            <LoadingNotice />
          ) : (
            <Checkbox.Group value={chosenIds} onChange={setChosenIds} aria-label="Roles">
              <Stack gap="xs">
                {result.data.data.map((role) => {
                  const names = permissionNames(role);
                  const missingPermissions = names.filter((permission) => !callerPermissions.includes(permission));
                  return (
                    <Checkbox.Card
                      key={role.id}
                      value={role.id}
                      className="role-card"
                      p="sm"
                      disabled={missingPermissions.length > 0}
                      aria-label={nouns.roles.titleOf(role)}
                    >
                      <Group wrap="nowrap" align="flex-start">
                        <Checkbox.Indicator mt={2} disabled={missingPermissions.length > 0} />
                        <Stack gap={4} miw={0} flex={1}>
                          <Group gap="xs">
                            <Text fw={560}>{nouns.roles.titleOf(role)}</Text>
                            <Badge variant="default" tt="none" fw={450}>
                              {role.name === defaultRole
                                ? 'everything'
                                : `${names.length} of ${permissions.length} permissions`}
                            </Badge>
                          </Group>
                          {missingPermissions.length > 0 && (
                            <Text fz="sm" c="red">
                              This role has permissions that you don’t have, so you can’t assign or remove it.
                            </Text>
                          )}
                          {role.name === defaultRole ? (
                            <Text fz="sm" c="dimmed">
                              Full access to the platform.
                            </Text>
                          ) : (
                            <PermissionSummary names={names} />
                          )}
                        </Stack>
                      </Group>
                    </Checkbox.Card>
                  );
                })}
              </Stack>
            </Checkbox.Group>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={!result.data}>
              Save roles
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function subtract(ids: readonly string[], excludedIds: readonly string[]): string[] {
  return ids.filter((id) => !excludedIds.includes(id));
}

export function permissionNames(role: RoleRow): PermissionName[] {
  const rolePermissions = (role['permissions'] as { data?: readonly { name: string }[] } | undefined)?.data ?? [];
  return permissions
    .map(({ name }) => name)
    .filter((name) => rolePermissions.some((permission) => permission.name === name));
}
