import { Alert, Button, Group, Table, Text } from '@mantine/core';
import { IconCalendarClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NamedReference } from '../../../../kit/display/field-value.tsx';
import { wordOf } from '../../../../kit/format/label.ts';
import { ConfirmDialog } from '../../../../kit/dialog/confirm-dialog.tsx';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../../kit/display/status.tsx';
import { Day } from '../../../../kit/display/times.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import { nouns } from '../../nouns/nouns.ts';
import { client, refreshEverything } from '../../../../kit/api/client.ts';
import { useMay } from '../../../../kit/noun/app.tsx';
import type { SubscriptionRow } from '../../nouns/rows.ts';

function usePackageChanges(id: string) {
  const result = useQuery({
    queryKey: ['listPackageChanges', id],
    queryFn: ({ signal }) =>
      client.listPackageChanges({
        params: { subscription_id: id },
        query: { limit: 50, orderBy: 'created_at', sortedBy: 'desc' },
        signal,
      }),
  });
  return result.data?.data ?? [];
}

export function useScheduledChange(id: string) {
  return usePackageChanges(id).find(({ status }) => status === 'scheduled');
}

/** The scheduled change, with a button to withdraw it. */
export function ScheduledChange({ row }: { readonly row: SubscriptionRow }) {
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const change = useScheduledChange(row.id);
  if (change === undefined) return null;
  return (
    <Alert color="blue" variant="light" icon={<IconCalendarClock size={18} />} title="A package change is scheduled">
      <Group justify="space-between" gap="sm">
        <Text inherit>
          On <Day day={change.effective_at} /> to <PackageName id={change.to_package_id} />,{' '}
          {changePhrase(change.direction)}.
        </Text>
        {may('withdrawPackageChange') && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            Withdraw
          </Button>
        )}
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Withdraw the package change?"
        confirmLabel="Withdraw"
        isDangerous={false}
        onConfirm={async () => {
          await client.withdrawPackageChange({
            params: { subscription_id: row.id, package_change_id: change.id },
          });
          await refreshEverything();
          showDone('The subscription keeps its package.');
        }}
      >
        The subscription keeps its package. The reserved stock of the other package is released.
      </ConfirmDialog>
    </Alert>
  );
}

/** Past and scheduled package changes. */
export function PackageHistory({ row }: { readonly row: SubscriptionRow }) {
  const changes = usePackageChanges(row.id);
  if (changes.length === 0) return null;
  return (
    <Panel flush title="Package changes">
      <div className="scroll-x">
        <Table className="list" data-static>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day</Table.Th>
              <Table.Th>From</Table.Th>
              <Table.Th>To</Table.Th>
              <Table.Th>Direction</Table.Th>
              <Table.Th>Outcome</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map((change) => (
              <Table.Tr key={change.id}>
                <Table.Td>
                  <Day day={change.effective_at} />
                </Table.Td>
                <Table.Td data-label="From">
                  <PackageName id={change.from_package_id} />
                </Table.Td>
                <Table.Td data-label="To">
                  <PackageName id={change.to_package_id} />
                </Table.Td>
                <Table.Td data-label="Direction">{wordOf(change.direction)}</Table.Td>
                <Table.Td data-label="Outcome">
                  <div>
                    <StatusBadge value={change.status} />
                    {change.failure !== null && (
                      <Text fz="xs" c="dimmed" mt={4} style={{ whiteSpace: 'normal' }}>
                        {change.failure}
                      </Text>
                    )}
                  </div>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Panel>
  );
}

function PackageName({ id }: { readonly id: string | null }) {
  if (id === null) return <>a deleted package</>;
  return <NamedReference noun={nouns.servicePackages} id={id} />;
}

function changePhrase(direction: 'upgrade' | 'downgrade' | 'lateral'): string {
  return { upgrade: 'an upgrade', downgrade: 'a downgrade', lateral: 'at the same level' }[direction];
}
