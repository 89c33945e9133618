import { ActionIcon, Group, Menu, Table, Text } from '@mantine/core';
import type { MembershipLevel } from '@foyer/contract/conventions/rights.ts';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconDots, IconMailForward, IconMailX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LinkDialog } from '../admins/link-dialog.tsx';
import { searchQuery } from '../../../kit/list/search.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { useExistingPage } from '../../../kit/list/existing-page.ts';
import { ListFooter } from '../../../kit/list/list-footer.tsx';
import { defaultPageSize, type ListState } from '../../../kit/list/list-state.ts';
import type { AnyNoun, Row } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { MembershipScope } from './levels.ts';
import { RightsSummary } from './rights-summary.tsx';

type Invitation = EndpointAnswer<'listInvitations'>['data'][number];

/** The invitations; renders nothing if there are none. */
export function InvitationsPanel({ scope }: { readonly scope: MembershipScope }) {
  const [state, setState] = useState<ListState>({});
  const scopeFilter = scope.level.name === 'customer' ? {} : { [scope.level.noun.param]: scope.id };
  const query = {
    limit: state.limit ?? defaultPageSize,
    page: state.page ?? 1,
    include: 'account,room',
    ...searchQuery('', scopeFilter),
  };
  const result = useQuery({
    queryKey: ['listInvitations', scope.customerId, query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.listInvitations({ params: { customer_id: scope.customerId }, query, signal }),
  });
  useExistingPage(state, setState, result);
  const invitations = result.data?.data ?? [];
  const showsScope = scope.level.name !== 'room';
  const pagination = result.data?.meta.pagination;
  if (invitations.length === 0) return null;
  return (
    <Panel flush title="Invitations">
      <div className="scroll-x">
        <Table className="list" data-static>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Email</Table.Th>
              {showsScope && <Table.Th>To</Table.Th>}
              <Table.Th>Rights</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th w={60}>
                <span className="sr-only">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {invitations.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                customerId={scope.customerId}
                showsScope={showsScope}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {pagination && (pagination.total ?? 0) > defaultPageSize && (
        <ListFooter state={state} onStateChange={setState} pagination={pagination} />
      )}
    </Panel>
  );
}

function InvitationRow(props: {
  readonly invitation: Invitation;
  readonly customerId: string;
  readonly showsScope: boolean;
}) {
  const { invitation } = props;
  const name = [invitation.first_name, invitation.last_name].filter(Boolean).join(' ');
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={540} truncate>
          {invitation.email}
        </Text>
        <Text fz="sm" c="dimmed" truncate>
          {[name, invitation.invited_by && `invited by ${invitation.invited_by}`].filter(Boolean).join(', ')}
        </Text>
      </Table.Td>
      {props.showsScope && <Table.Td data-label="To">{scopeNameOf(invitation)}</Table.Td>}
      <Table.Td className="rights-cell">
        <RightsSummary level={levelOf(invitation)} isOwner={invitation.owner} rights={invitation.permissions} />
      </Table.Td>
      <Table.Td data-label="Status">
        <Group gap="xs" wrap="nowrap" display="inline-flex">
          <StatusBadge value={invitation.status} />
          {invitation.status === 'pending' && (
            <Text fz="sm" c="dimmed" component="span">
              ends <RelativeTime instant={invitation.expires_at} />
            </Text>
          )}
        </Group>
      </Table.Td>
      <Table.Td ta="right" data-actions>
        {invitation.status !== 'accepted' && <InvitationMenu invitation={invitation} customerId={props.customerId} />}
      </Table.Td>
    </Table.Tr>
  );
}

function InvitationMenu(props: { readonly invitation: Invitation; readonly customerId: string }) {
  const { invitation } = props;
  const may = useMay();
  const [dialog, setDialog] = useState<'resend' | 'withdrawal' | null>(null);
  const [link, setLink] = useState<{ url: string; expiresAt: string } | null>(null);
  const params = { customer_id: props.customerId, invitation_id: invitation.id };
  const mayWithdraw = may('deleteInvitation') && invitation.status !== 'withdrawn';

  async function resend(): Promise<void> {
    const { data } = await client.resendInvitation({ params });
    if (data.url === null) showDone(`An invitation is on its way to ${data.email}.`);
    else setLink({ url: data.url, expiresAt: data.expires_at });
    await refreshEverything();
  }

  async function withdraw(): Promise<void> {
    await client.deleteInvitation({ params });
    await refreshEverything();
    showDone(`The invitation of ${invitation.email} has been withdrawn.`);
  }

  if (!may('resendInvitation') && !mayWithdraw) return null;
  return (
    <Group justify="flex-end">
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for the invitation of ${invitation.email}`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may('resendInvitation') && (
            <Menu.Item leftSection={<IconMailForward size={15} />} onClick={() => setDialog('resend')}>
              Send again…
            </Menu.Item>
          )}
          {mayWithdraw && (
            <Menu.Item color="red" leftSection={<IconMailX size={15} />} onClick={() => setDialog('withdrawal')}>
              Withdraw…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={dialog === 'resend'}
        onClose={() => setDialog(null)}
        title={`Send the invitation of ${invitation.email} again?`}
        confirmLabel="Send again"
        isDangerous={false}
        onConfirm={resend}
      >
        A new link is created, valid for seven days. The old one stops working.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'withdrawal'}
        onClose={() => setDialog(null)}
        title={`Withdraw the invitation of ${invitation.email}?`}
        confirmLabel="Withdraw"
        onConfirm={withdraw}
      >
        The link stops working.
      </ConfirmDialog>
      {link && (
        <LinkDialog
          title="The new invitation"
          email={invitation.email}
          url={link.url}
          expiresAt={link.expiresAt}
          onClose={() => setLink(null)}
        />
      )}
    </Group>
  );
}

function levelOf(invitation: Invitation): MembershipLevel {
  if (invitation.room_id !== null) return 'room';
  return invitation.account_id === null ? 'customer' : 'account';
}

function scopeNameOf(invitation: Invitation): string {
  const level = levelOf(invitation);
  if (level === 'customer') return 'The customer';
  const noun: AnyNoun = level === 'room' ? nouns.rooms : nouns.accounts;
  const { [level]: included } = invitation as unknown as Record<string, { data?: Row | null } | undefined>;
  return included?.data ? noun.titleOf(included.data) : `A ${level}`;
}
