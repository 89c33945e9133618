import { Button, Menu, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconArrowsExchange, IconBan, IconRefresh, IconReload } from '@tabler/icons-react';
import { useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { DetailPage } from '../resource/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { EventTimeline } from '../events/event-timeline.tsx';
import { RelatedList } from '../resource/related-list.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { RenewDialog } from './renew-dialog.tsx';
import { SubscriptionDays, OtherTerms } from './subscription-days.tsx';
import { SubscriptionPeriod } from './subscription-period.tsx';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { WhyNot } from '../../../kit/display/why-not.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import type { Row } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { UsageReportItem } from '../reports/usage-report-item.tsx';
import { ChangePackageDrawer } from './package-change/change-package-drawer.tsx';
import { PackageHistory, ScheduledChange } from './package-change/package-changes.tsx';
import { termsTarget } from './terms-target.ts';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';
import { SubscriptionProviders } from './subscription-providers.tsx';
import { SubscriptionFeatures } from './subscription-features.tsx';

export function SubscriptionScreen({ row }: ScreenProps<SubscriptionRow>) {
  const [dialog, setDialog] = useState<'renew' | 'cancel' | 'uncancel' | 'sync' | 'package' | null>(null);
  const may = useMay();
  const noun = nouns.subscriptions;
  const params = { subscription_id: row.id };
  const name = noun.titleOf(row);
  const close = () => setDialog(null);
  const mayChange = may('changePackage') && may('listServicePackages');
  const mayUncancel = may('uncancelSubscription') && row.status === 'canceled' && row.last_day_of_use !== null;
  const isResold = row.parent_subscription_id !== null;
  const customer = (row.customer as { data?: Row | null } | undefined)?.data;

  async function sync(): Promise<void> {
    await client.syncSubscriptionFeatures({ params, body: { sync: true } });
    await refreshEverything();
    showDone('The features have been reset to the package.');
  }

  async function uncancel(): Promise<void> {
    await writeIfUnchanged(termsTarget(row.id), versionOfListRow(row), (ifMatch) =>
      client.uncancelSubscription({ params, ifMatch }),
    );
    await refreshEverything();
    showDone('The cancellation has been undone.');
  }

  return (
    <>
      <DetailPage
        noun={noun}
        row={row}
        actions={
          <>
            {mayUncancel && (
              <Button
                variant="default"
                leftSection={<IconArrowBackUp size={16} />}
                onClick={() => setDialog('uncancel')}
              >
                Undo cancellation
              </Button>
            )}
            {may('renewSubscription') && (
              <Button leftSection={<IconRefresh size={16} />} onClick={() => setDialog('renew')}>
                Renew
              </Button>
            )}
          </>
        }
        menu={
          <>
            {mayChange && (
              <Menu.Item
                leftSection={<IconArrowsExchange size={16} />}
                disabled={row.status !== 'active' || isResold}
                onClick={() => setDialog('package')}
              >
                Change the package…
                {row.status !== 'active' ? (
                  <WhyNot>Only active subscriptions can change.</WhyNot>
                ) : (
                  isResold && <WhyNot>A subscription sold by a reseller cannot change its package.</WhyNot>
                )}
              </Menu.Item>
            )}
            {may('syncSubscriptionFeatures') && (
              <Menu.Item leftSection={<IconReload size={16} />} onClick={() => setDialog('sync')}>
                Reset features to the package…
              </Menu.Item>
            )}
            {may('cancelSubscription') && (
              <Menu.Item
                leftSection={<IconBan size={16} />}
                disabled={row.status !== 'active'}
                onClick={() => setDialog('cancel')}
              >
                Cancel subscription…
                {row.status !== 'active' && (
                  <WhyNot>
                    {row.status === 'canceled'
                      ? 'It is already canceled.'
                      : 'Only active subscriptions can be canceled.'}
                  </WhyNot>
                )}
              </Menu.Item>
            )}
            <UsageReportItem search={{ subscription: row.id }} />
          </>
        }
        sections={[
          {
            key: 'overview',
            title: 'Overview',
            content: (
              <Stack gap="lg">
                <SubscriptionPeriod row={row} />
                <ScheduledChange row={row} />
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                  <Stack gap="lg">
                    <Panel title="Terms">
                      <Facts
                        noun={noun}
                        row={row}
                        names={[
                          'subscriber_id',
                          ...(isResold ? ['parent_subscription_id'] : []),
                          'package_id',
                          'price',
                          'periodicity',
                          'auto_renew',
                          ...(row.trial_period === 0 ? [] : ['trial_period', 'trial_mode']),
                          'grace_period',
                          'tier',
                        ]}
                      />
                      <OtherTerms row={row} />
                    </Panel>
                    {typeof row.description === 'string' && (
                      <Panel title="Description">
                        <Text style={{ whiteSpace: 'pre-wrap' }}>{row.description}</Text>
                      </Panel>
                    )}
                    <MapPanel title="Metadata" map={row.subscription_metadata} />
                  </Stack>
                  <Stack gap="lg">
                    <Panel title="Dates">
                      <SubscriptionDays row={row} />
                    </Panel>
                    <IdentityPanel noun={noun} row={row} />
                  </Stack>
                </SimpleGrid>
                <PackageHistory row={row} />
              </Stack>
            ),
          },
          {
            key: 'features',
            title: 'Features & usage',
            content: <SubscriptionFeatures id={row.id} serviceType={row.service_type} />,
          },
          {
            key: 'providers',
            title: 'Providers',
            content: <SubscriptionProviders id={row.id} packageId={row.package_id} />,
          },
          {
            key: 'accounts',
            title: 'Accounts',
            hidden: !may('listAccounts'),
            content: (
              <RelatedList
                noun={nouns.accounts}
                within={{ subscription_id: row.id }}
                presets={{ subscription_id: row.id }}
              />
            ),
          },
          {
            key: 'rooms',
            title: 'Rooms',
            hidden: !may('listRooms'),
            content: (
              <RelatedList
                noun={nouns.rooms}
                within={{ subscription_id: row.id }}
                presets={{}}
                choiceFilters={{ account_id: { subscription_id: row.id, status: 'active' } }}
              />
            ),
          },
          {
            key: 'resold',
            title: 'Resold',
            hidden: customer?.['is_reseller'] !== true,
            content: (
              <RelatedList noun={nouns.subscriptions} within={{ parent_subscription_id: row.id }} presets={null} />
            ),
          },
          {
            key: 'events',
            title: 'Events',
            hidden: !may('listEvents'),
            content: <EventTimeline about={{ resource_id: row.id }} />,
          },
        ]}
      />
      {dialog === 'package' && <ChangePackageDrawer row={row} onClose={close} />}
      {dialog === 'renew' && <RenewDialog row={row} onClose={close} />}
      {dialog === 'cancel' && <CancelDialog row={row} onClose={close} />}
      <ConfirmDialog
        isOpen={dialog === 'uncancel'}
        onClose={close}
        title={`Undo the cancellation of “${name}”?`}
        confirmLabel="Undo cancellation"
        isDangerous={false}
        onConfirm={uncancel}
      >
        It continues with its previous dates, free of charge. A scheduled package change that the cancellation withdrew
        stays withdrawn.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'sync'}
        onClose={close}
        title={`Reset the features of “${name}” to the package?`}
        confirmLabel="Reset features"
        isDangerous={false}
        onConfirm={sync}
      >
        Values are reset to those of the package, and manually added features are removed. Usage is not reset.
      </ConfirmDialog>
    </>
  );
}
