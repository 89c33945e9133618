import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { searchQuery } from '../../../kit/list/search.ts';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { useExistingPage } from '../../../kit/list/existing-page.ts';
import { ListFooter } from '../../../kit/list/list-footer.tsx';
import { defaultPageSize, type ListState } from '../../../kit/list/list-state.ts';
import { FindInput } from '../../../kit/list/list-toolbar.tsx';
import type { ListPage } from '../../../kit/list/resource-list.tsx';
import { callEndpoint } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { AddPerson, useAddMethods } from './add-person.tsx';
import { InvitationsPanel } from './invitations-panel.tsx';
import type { Membership, MembershipScope } from './levels.ts';
import { MemberMenu } from './member-menu.tsx';
import { RightsSummary } from './rights-summary.tsx';

/** The members of a customer, an account or a room, and the invitations. */
export function PeopleSection({ scope }: { readonly scope: MembershipScope }) {
  const may = useMay();
  return (
    <Stack gap="lg">
      {may(scope.level.list) && <MembersPanel scope={scope} />}
      {may('listInvitations') && <InvitationsPanel scope={scope} />}
    </Stack>
  );
}

function MembersPanel({ scope }: { readonly scope: MembershipScope }) {
  const [state, setState] = useState<ListState>({});
  const [isAdding, setAdding] = useState(false);
  const methods = useAddMethods(scope);
  const { level } = scope;
  const query = {
    limit: state.limit ?? defaultPageSize,
    page: state.page ?? 1,
    ...searchQuery(state.find ?? '', {}),
  };
  const result = useQuery({
    queryKey: [level.list, scope.id, query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      callEndpoint(level.list, { params: { [level.noun.param]: scope.id }, query, signal }) as Promise<ListPage>,
  });
  useExistingPage(state, setState, result);
  const total = result.data?.meta.pagination?.total ?? 0;
  const isSearched = state.find !== undefined;
  const add = methods.length > 0 && (
    <Button size="xs" variant="light" leftSection={<IconUserPlus size={15} />} onClick={() => setAdding(true)}>
      Add person
    </Button>
  );
  return (
    <Panel flush title="People" aside={add}>
      {(isSearched || total > 5) && (
        <Group px="md" py="sm" style={{ borderBottom: '1px solid var(--foyer-line)' }}>
          <FindInput
            label="Search people"
            value={state.find ?? ''}
            onChange={(find) => setState(find === '' ? {} : { find })}
          />
        </Group>
      )}
      {result.error && !result.data ? (
        <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
      ) : !result.data ? (
        <LoadingNotice />
      ) : result.data.data.length === 0 ? (
        <Placeholder title={isSearched ? 'No matches' : 'No people yet'} icon={<IconUsers stroke={1.4} />}>
          {isSearched
            ? 'No person here has this name or email.'
            : `Add a person who works with this ${level.name}, and choose their rights.`}
        </Placeholder>
      ) : (
        <MemberTable scope={scope} memberships={result.data.data as readonly Membership[]} />
      )}
      {result.data?.meta.pagination && total > defaultPageSize && (
        <ListFooter state={state} onStateChange={setState} pagination={result.data.meta.pagination} />
      )}
      {isAdding && <AddPerson scope={scope} onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function MemberTable(props: { readonly scope: MembershipScope; readonly memberships: readonly Membership[] }) {
  const may = useMay();
  return (
    <div className="scroll-x">
      <Table className="list" data-static>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Rights</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th w={60}>
              <span className="sr-only">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.memberships.map((membership) => (
            <Table.Tr key={membership.id}>
              <Table.Td>
                {may('readUser') ? (
                  <Link to="/$noun/$id" params={{ noun: 'users', id: membership.user_id }} className="link">
                    {membership.full_name}
                  </Link>
                ) : (
                  <Text fw={540}>{membership.full_name}</Text>
                )}
                <Text fz="sm" c="dimmed" truncate>
                  {membership.email}
                </Text>
              </Table.Td>
              <Table.Td className="rights-cell">
                <RightsSummary
                  level={props.scope.level.name}
                  isOwner={membership.owner}
                  rights={membership.permissions}
                />
              </Table.Td>
              <Table.Td data-label="Status">
                <StatusBadge value={membership.status} />
              </Table.Td>
              <Table.Td ta="right" data-actions>
                <MemberMenu scope={props.scope} membership={membership} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
