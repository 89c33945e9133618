import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { ReferencePicker } from '../../../kit/form/fields/reference-picker.tsx';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { WhyNot } from '../../../kit/display/why-not.tsx';
import { text } from '../../../kit/noun/noun.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { RoomRow } from '../nouns/rows.ts';

/** Moves a room to another account of its subscription: menu item and dialog. */
export function useTransfer(row: RoomRow): { readonly item: React.ReactNode; readonly dialog: React.ReactNode } {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const isAllowed = may('transferRoom') && may('listAccounts');
  const subscriptionId = text(row, 'subscription_id');
  const accounts = useQuery({
    queryKey: ['listAccounts', 'transfer-targets', subscriptionId],
    enabled: isAllowed,
    queryFn: ({ signal }) =>
      client.listAccounts({
        query: { search: `subscription_id:${subscriptionId}`, limit: 2, count: false, filter: 'id' },
        signal,
      }),
  });
  if (!isAllowed) return { item: null, dialog: null };
  const isOnlyAccount = accounts.data?.data.every(({ id }) => id === row.account_id) === true;
  return {
    item: (
      <Menu.Item leftSection={<IconArrowsExchange size={16} />} disabled={isOnlyAccount} onClick={() => setOpen(true)}>
        Move to another account…
        {isOnlyAccount && <WhyNot>A room can only move within its subscription, which has no other account.</WhyNot>}
      </Menu.Item>
    ),
    dialog: (
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Move “${text(row, 'room_name')}” to another account`}
      >
        {isOpen && <TransferForm row={row} onDone={() => setOpen(false)} />}
      </Modal>
    ),
  };
}

function TransferForm({ row, onDone }: { readonly row: RoomRow; readonly onDone: () => void }) {
  const [accountId, setAccountId] = useState<string | null>(null);
  const submission = useSubmission();

  async function move(): Promise<void> {
    if (accountId === null) return;
    const params = { room_id: row.id };
    await writeIfUnchanged({ read: 'readRoom', params, fields: ['account_id'] }, versionOfListRow(row), (ifMatch) =>
      client.transferRoom({ params, body: { account_id: accountId }, ifMatch }),
    );
    await refreshEverything();
    showDone('The room has been moved.');
    onDone();
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(move, event.currentTarget);
      }}
    >
      <Stack>
        <Text c="dimmed">
          A room moves within its subscription. Its members, tokens, access codes, settings and address stay the same,
          and running meetings continue. Reports count its usage in the new account.
        </Text>
        <RefusalAlert error={submission.failureOutsideFields('account_id')} />
        <ReferencePicker
          name="account_id"
          label="Account"
          description="Accounts of the same subscription."
          error={submission.faultOf('account_id')}
          required
          prefix="acct"
          within={{ subscription_id: text(row, 'subscription_id') }}
          excludedId={text(row, 'account_id')}
          value={accountId}
          onChange={setAccountId}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={submission.isBusy} disabled={accountId === null}>
            Move room
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
