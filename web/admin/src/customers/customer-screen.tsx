import { customerSettings } from '@foyer/contract/resources/customers/customer-settings.ts';
import { Badge, Group, SimpleGrid, Stack } from '@mantine/core';
import { DetailPage } from '../resource/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { EventTimeline } from '../events/event-timeline.tsx';
import { RelatedList } from '../resource/related-list.tsx';
import { CustomerStatus } from './customer-badges.tsx';
import { HeldBadge } from './customer-status.tsx';
import { CustomerSubscriptions } from './customer-subscriptions.tsx';
import { RecordPanel } from './record-panel.tsx';
import { recordKinds } from './record-kinds.ts';
import { EffectiveStatusNotice } from './effective-status-notice.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { CustomerBranding } from './branding/customer-branding.tsx';
import { UsageReportItem } from '../reports/usage-report-item.tsx';
import { nouns } from '../nouns/nouns.ts';
import { levels, scopeOf } from '../people/levels.ts';
import { PeopleSection } from '../people/people-section.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { CustomerRow } from '../nouns/rows.ts';

export function CustomerScreen({ row }: ScreenProps<CustomerRow>) {
  const may = useMay();
  const noun = nouns.customers;
  const isActive = row.effective_status === 'active';
  const isReseller = row.is_reseller;
  return (
    <DetailPage
      noun={noun}
      row={row}
      badges={
        <Group gap={6}>
          <CustomerStatus row={row} />
          <HeldBadge row={row} />
          {isReseller && (
            <Badge variant="light" tt="none" fw={560}>
              Reseller
            </Badge>
          )}
        </Group>
      }
      menu={<UsageReportItem search={{ customer: row.id }} />}
      notice={<EffectiveStatusNotice row={row} />}
      sections={[
        {
          key: 'overview',
          title: 'Overview',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <CustomerSubscriptions customer={row} />
                <Panel title="Customer">
                  <Facts
                    noun={noun}
                    row={row}
                    names={[
                      'customer_type',
                      'company_name',
                      'full_name',
                      'email',
                      'is_reseller',
                      ...(row.parent_customer_id === null ? [] : ['parent_customer_id']),
                      'country',
                      'currency',
                      'locale',
                      'timezone',
                    ]}
                  />
                </Panel>
                <MapPanel title="Settings" map={otherSettings(row.customer_settings)} />
                <MapPanel title="Metadata" map={row.customer_metadata} />
              </Stack>
              <Stack gap="lg">
                <Panel title="Web addresses">
                  <Facts
                    noun={noun}
                    row={row}
                    names={['subdomain', 'hostname', 'allowed_domains_origins', 'allowed_domains_registration']}
                  />
                </Panel>
                <Panel title="Your references">
                  <Facts noun={noun} row={row} names={['external_id', 'customer_prefix']} />
                </Panel>
                <IdentityPanel noun={noun} row={row} />
              </Stack>
            </SimpleGrid>
          ),
        },
        { key: 'branding', title: 'Branding', content: <CustomerBranding row={row} /> },
        {
          key: 'records',
          title: 'Addresses & documents',
          hidden: !may('listCustomerAddresses'),
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <RecordPanel kind={recordKinds.addresses} customer={row} />
              <Stack gap="lg">
                <RecordPanel kind={recordKinds.telephones} customer={row} />
                <RecordPanel kind={recordKinds.legalDocuments} customer={row} />
              </Stack>
            </SimpleGrid>
          ),
        },
        {
          key: 'below',
          title: 'Customers below',
          hidden: !isReseller,
          content: (
            <RelatedList
              noun={noun}
              within={{ parent_customer_id: row.id }}
              presets={isActive ? { parent_customer_id: row.id } : null}
            />
          ),
        },
        {
          key: 'people',
          title: 'People',
          hidden: !may(levels.customer.list) && !may('listInvitations'),
          content: <PeopleSection scope={scopeOf(levels.customer, row)} />,
        },
        {
          key: 'subscriptions',
          title: 'Subscriptions',
          hidden: !may('listSubscriptions'),
          content: (
            <RelatedList
              noun={nouns.subscriptions}
              within={{ subscriber_id: row.id }}
              presets={isActive ? { subscriber_id: row.id } : null}
            />
          ),
        },
        {
          key: 'accounts',
          title: 'Accounts',
          hidden: !may('listAccounts'),
          content: (
            <RelatedList
              noun={nouns.accounts}
              within={{ subscriber_id: row.id }}
              presets={isActive ? {} : null}
              choiceFilters={{ subscription_id: { subscriber_id: row.id, status: 'active' } }}
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
              within={{ customer_id: row.id }}
              presets={isActive ? {} : null}
              choiceFilters={{ account_id: { subscriber_id: row.id, status: 'active' } }}
            />
          ),
        },
        {
          key: 'webhooks',
          title: 'Webhooks',
          hidden: !may('listWebhooks'),
          content: (
            <RelatedList
              noun={nouns.webhooks}
              within={{ customer_id: row.id }}
              presets={isActive ? { customer_id: row.id } : null}
            />
          ),
        },
        {
          key: 'events',
          title: 'Events',
          hidden: !may('listEvents'),
          content: <EventTimeline about={{ customer_id: row.id }} />,
        },
      ]}
    />
  );
}

/** Settings that the branding section does not show. */
function otherSettings(settings: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings ?? {}).filter(([name]) => !(name in customerSettings)));
}
