import { Button, Input, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import type { MembershipLevel, Right } from '@foyer/contract/conventions/rights.ts';
import { FoyerError } from '@foyer/sdk';
import { IconFolders, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { errorsOfField, errorsWithoutField } from '../../../kit/form/form-values.ts';
import { Absent } from '../../../kit/display/field-value.tsx';
import { ReferencePicker } from '../../../kit/form/fields/reference-picker.tsx';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import type { Row } from '../../../kit/noun/noun.ts';
import { callEndpoint, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { type Level, levels, type Membership, type MembershipScope, scopeOf } from './levels.ts';
import { MemberDrawer } from './member-drawer.tsx';
import { MemberMenu } from './member-menu.tsx';
import { RightsInput } from './rights-input.tsx';
import { defaultRights } from './rights.ts';
import { RightsSummary } from './rights-summary.tsx';

/** Memberships of a user with their rights. */
export function MembershipsPanel({ user }: { readonly user: Row }) {
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const scopes = Object.values(levels).flatMap((level) => {
    const { data = [] } = (user[level.noun.path] as { data?: readonly Row[] } | undefined) ?? {};
    return data.map((row) => scopeOf(level, row));
  });
  const offeredLevels = Object.values(levels).filter((level) => may(level.create) && may(level.noun.list));
  return (
    <Panel
      flush
      title="Memberships"
      aside={
        offeredLevels.length > 0 && (
          <Button size="xs" variant="light" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
            Add membership
          </Button>
        )
      }
    >
      {scopes.length === 0 ? (
        <Placeholder title="No memberships yet" icon={<IconFolders stroke={1.4} />}>
          Add the user to a customer, an account or a room. Until then, the user sees nothing.
        </Placeholder>
      ) : (
        <div className="scroll-x">
          <Table className="list" data-static>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Where</Table.Th>
                <Table.Th>Rights</Table.Th>
                <Table.Th w={60}>
                  <span className="sr-only">Actions</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {scopes.slice(0, maxShown).map((scope) => (
                <MembershipRow key={scope.id} scope={scope} userId={user.id} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {scopes.length > maxShown && (
        <Text c="dimmed" px="lg" py="sm">
          And {scopes.length - maxShown} more.
        </Text>
      )}
      {isAdding && <AddMembership user={user} offeredLevels={offeredLevels} onClose={() => setAdding(false)} />}
    </Panel>
  );
}

const maxShown = 50;

function MembershipRow({ scope, userId }: { readonly scope: MembershipScope; readonly userId: string }) {
  const may = useMay();
  const { level } = scope;
  const result = useQuery({
    queryKey: [level.read, scope.id, userId],
    enabled: may(level.read),
    queryFn: ({ signal }) =>
      callEndpoint(level.read, { params: { [level.noun.param]: scope.id, user_id: userId }, signal }) as Promise<{
        data: Membership;
      }>,
  });
  const membership = result.data?.data;
  return (
    <Table.Tr>
      <Table.Td>
        {may(level.noun.read) ? (
          <Link to="/$noun/$id" params={{ noun: level.noun.path, id: scope.id }} className="link">
            {scope.name}
          </Link>
        ) : (
          <Text fw={540}>{scope.name}</Text>
        )}
        <Text fz="sm" c="dimmed">
          {level.noun.singular.charAt(0).toUpperCase() + level.noun.singular.slice(1)}
        </Text>
      </Table.Td>
      <Table.Td className="rights-cell">
        {membership && <RightsSummary level={level.name} isOwner={membership.owner} rights={membership.permissions} />}
        {!may(level.read) && <Absent />}
      </Table.Td>
      <Table.Td ta="right" data-actions>
        {membership && <MemberMenu scope={scope} membership={membership} />}
      </Table.Td>
    </Table.Tr>
  );
}

function AddMembership(props: {
  readonly user: Row;
  readonly offeredLevels: readonly Level[];
  readonly onClose: () => void;
}) {
  const { user, offeredLevels, onClose } = props;
  const [levelName, setLevelName] = useState<MembershipLevel>(offeredLevels[0]?.name ?? 'customer');
  const [resourceId, setResourceId] = useState<string | null>(null);
  const [isOwner, setOwner] = useState(false);
  const [rights, setRights] = useState<readonly Right[]>(defaultRights[levelName]);
  const [failure, setFailure] = useState<unknown>(null);
  const level = levels[levelName];
  const errors = failure instanceof FoyerError ? failure.errors : {};

  async function submit(): Promise<void> {
    setFailure(null);
    try {
      const body = { user_id: user.id, ...(isOwner ? { owner: true } : { permissions: rights }) };
      await callEndpoint(level.create, { params: { [level.noun.param]: resourceId ?? '' }, body });
      await refreshEverything();
      showDone('The membership has been added.');
      onClose();
    } catch (error) {
      setFailure(error);
    }
  }

  return (
    <MemberDrawer
      title={`New membership of ${String(user['full_name'])}`}
      submitLabel="Add membership"
      failure={failure}
      otherErrors={errorsWithoutField(errors, [{ name: 'permissions' }])}
      isDirty={resourceId !== null || isOwner}
      canSubmit={resourceId !== null}
      onClose={onClose}
      onSubmit={submit}
    >
      <Stack gap="sm">
        <Input.Label component="div">Where</Input.Label>
        <SegmentedControl
          aria-label="Where"
          fullWidth
          value={levelName}
          data={offeredLevels.map(({ name, noun }) => ({
            value: name,
            label: noun.singular.charAt(0).toUpperCase() + noun.singular.slice(1),
          }))}
          onChange={(next) => {
            setLevelName(next);
            setResourceId(null);
            setRights(defaultRights[next]);
            setFailure(null);
          }}
        />
        <ReferencePicker
          key={levelName}
          name={level.noun.param}
          label={level.noun.singular.charAt(0).toUpperCase() + level.noun.singular.slice(1)}
          description={null}
          error={null}
          required
          prefix={level.noun.resource.prefix}
          value={resourceId}
          onChange={setResourceId}
        />
      </Stack>
      <RightsInput
        level={levelName}
        isOwner={isOwner}
        rights={rights}
        error={Object.values(errorsOfField(errors, 'permissions'))[0] ?? null}
        onOwner={setOwner}
        onRights={setRights}
      />
    </MemberDrawer>
  );
}
