import { Badge, Button, Group, Menu, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconShieldOff, IconUserCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { PermissionSummary } from '../roles/permission-summary.tsx';
import { usePersonActions } from './person-actions.tsx';
import { permissionNames, RolesDialog } from './roles-dialog.tsx';
import { DetailPage } from '../resource/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { toText } from '../../../kit/format/to-text.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { LinkButton } from '../../../kit/display/links.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { defaultRole } from '../nouns/access-nouns.ts';
import type { Noun } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { useCaller } from '../session/caller.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { AdminRow, RoleRow } from '../nouns/rows.ts';

/** Administrators cannot delete themselves. */
function selectNoun(isSelf: boolean): Noun {
  const { remove, ...rest } = nouns.admins;
  return isSelf || remove === undefined ? rest : nouns.admins;
}

export function AdminScreen({ row }: ScreenProps<AdminRow>) {
  const may = useMay();
  const caller = useCaller();
  const [isResetting, setResetting] = useState(false);
  const isSelf = row.id === caller.id;
  const noun = selectNoun(isSelf);
  const mayResetFactor = may('resetTwoFactor') && !isSelf;
  const name = noun.titleOf(row);
  const params = { admin_id: row.id };
  const actions = usePersonActions({
    id: row.id,
    name,
    email: toText(row.email),
    resetPassword: may('createAdminPasswordReset') ? () => client.createAdminPasswordReset({ params }) : null,
    endSessions: may('endAdminSessions') ? () => client.endAdminSessions({ params }) : null,
  });

  async function resetTwoFactor(): Promise<void> {
    await client.resetTwoFactor({ params });
    await refreshEverything();
    showDone(`${name} can now sign in with only a password, until they set up a new second factor.`);
  }

  return (
    <>
      <DetailPage
        noun={noun}
        row={row}
        badges={
          <Group gap={6}>
            <StatusBadge value={toText(row.status)} />
            {isSelf && (
              <Badge variant="light" color="blue" tt="none" fw={560}>
                You
              </Badge>
            )}
          </Group>
        }
        actions={
          isSelf && (
            <LinkButton to="/account" variant="default" leftSection={<IconUserCircle size={16} />}>
              Your account
            </LinkButton>
          )
        }
        menu={
          (actions.items || mayResetFactor) && (
            <>
              {actions.items}
              {mayResetFactor && (
                <Menu.Item leftSection={<IconShieldOff size={16} />} onClick={() => setResetting(true)}>
                  Reset second factor…
                </Menu.Item>
              )}
            </>
          )
        }
        sections={[
          {
            key: 'overview',
            title: 'Overview',
            content: (
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <Stack gap="lg">
                  <RolesPanel row={row} />
                  <MapPanel title="Metadata" map={row.admin_metadata} />
                </Stack>
                <Stack gap="lg">
                  <Panel title="Person">
                    <Facts
                      noun={noun}
                      row={row}
                      names={['full_name', 'username', 'email', 'has_email_verified', 'locale', 'timezone']}
                    />
                  </Panel>
                  <IdentityPanel noun={noun} row={row} />
                </Stack>
              </SimpleGrid>
            ),
          },
        ]}
      />
      {actions.dialogs}
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        title={`Reset the second factor of ${name}?`}
        confirmLabel="Reset second factor"
        onConfirm={resetTwoFactor}
      >
        Use this if someone has lost both their authenticator app and their recovery codes. Check that the request
        really comes from them: afterwards, they can sign in with only a password.
      </ConfirmDialog>
    </>
  );
}

/** The roles of an administrator and their permissions. */
function RolesPanel({ row }: { readonly row: AdminRow }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const roles = (row.roles as { data?: readonly RoleRow[] } | undefined)?.data ?? [];
  const allRoles = useQuery({
    queryKey: ['listRoles', 'with permissions'],
    enabled: may('listRoles') && may('listPermissions'),
    queryFn: ({ signal }) => client.listRoles({ query: { limit: 0, count: false, include: 'permissions' }, signal }),
  });
  const rolesById = new Map(allRoles.data?.data.map((role) => [role.id, role]));
  return (
    <Panel
      title="Roles"
      aside={
        may('syncRoles') &&
        may('listRoles') && (
          <Button size="xs" variant="light" onClick={() => setOpen(true)}>
            Change roles
          </Button>
        )
      }
    >
      {roles.length === 0 ? (
        <Text c="dimmed">No roles. This person can sign in but can’t do anything else.</Text>
      ) : (
        <Stack gap="md">
          {roles.map((role) => {
            const roleWithPermissions = rolesById.get(role.id);
            return (
              <div key={role.id}>
                {may('readRole') ? (
                  <Link to="/$noun/$id" params={{ noun: 'roles', id: role.id }} className="link">
                    {nouns.roles.titleOf(role)}
                  </Link>
                ) : (
                  <Text fw={560}>{nouns.roles.titleOf(role)}</Text>
                )}
                {role['name'] === defaultRole ? (
                  <Text fz="sm" c="dimmed">
                    Full access to the platform.
                  </Text>
                ) : (
                  roleWithPermissions && <PermissionSummary names={permissionNames(roleWithPermissions)} />
                )}
              </div>
            );
          })}
        </Stack>
      )}
      {isOpen && <RolesDialog admin={row} currentRoleIds={roles.map(({ id }) => id)} onClose={() => setOpen(false)} />}
    </Panel>
  );
}
