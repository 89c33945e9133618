import { Button, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { Waiting } from '../../../kit/api/waiting.tsx';
import { IconCalendarCheck } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../kit/display/lazy-part.tsx';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { PageHeader, Panel } from '../../../kit/display/page-header.tsx';
import { Day } from '../../../kit/display/times.tsx';
import { endOf } from '../subscriptions/subscription-phase.ts';
import { LiveDot } from '../meetings/live-dot.tsx';
import { type Noun, type Row, pluralWithin } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { useCaller } from '../session/caller.tsx';
import { EndingRecordings, UnhealthyProviders, RunningMeetings } from './live-now.tsx';
import { NearLimits, useNearLimits } from './near-limits.tsx';
import { GettingStarted } from './getting-started.tsx';
import { NewMenu } from './new-menu.tsx';
import { useTotal } from '../resource/use-total.ts';
import type { CustomerRow, SubscriptionRow } from '../nouns/rows.ts';

const RenewDialog = lazyPart(async () => (await import('../subscriptions/renew-dialog.tsx')).RenewDialog);

export function DashboardScreen() {
  const caller = useCaller();
  const may = useMay();
  const nearLimits = useNearLimits();
  const countedNouns = [nouns.customers, nouns.subscriptions, nouns.accounts, nouns.rooms].filter((noun) =>
    may(noun.list),
  );
  return (
    <>
      <PageHeader title="Dashboard" summary={`Welcome, ${caller.full_name}.`} actions={<NewMenu />} />
      <Stack gap="lg">
        {may('listServiceProviderHealth') && <UnhealthyProviders />}
        <GettingStarted />
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
          {countedNouns.map((noun) => (
            <CountCard key={noun.path} noun={noun} />
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Stack gap="lg">
            {may('listMeetings') && <RunningMeetings />}
            {may('listRooms') && <LatestRooms />}
          </Stack>
          <Stack gap="lg">
            {nearLimits.rows.length > 0 && <NearLimits {...nearLimits} />}
            {may('listSubscriptions') && <EndingSoon />}
            {may('listRecordings') && <EndingRecordings />}
          </Stack>
        </SimpleGrid>
      </Stack>
    </>
  );
}

function CountCard({ noun }: { readonly noun: Noun }) {
  const total = useTotal(noun);
  const active = useTotal(noun, 'status:active');
  const Icon = noun.icon;
  return (
    <Link to="/$noun" params={{ noun: noun.path }} className="panel count-card">
      <Group justify="space-between" wrap="nowrap">
        <Text c="dimmed" fw={520}>
          {noun.plural}
        </Text>
        <Icon size={18} stroke={1.5} />
      </Group>
      {total === null ? (
        <Waiting h={32} w={60} my={6} />
      ) : (
        <Text fz={30} fw={620} lh={1.25} my={2} style={{ letterSpacing: '-0.02em' }}>
          {total.toLocaleString('en-GB')}
        </Text>
      )}
      <Text fz="sm" c="dimmed">
        {active === null ? ' ' : `${active.toLocaleString('en-GB')} active`}
      </Text>
    </Link>
  );
}

function LatestRooms() {
  const rooms = useQuery({
    queryKey: ['listRooms', 'latest'],
    queryFn: ({ signal }) =>
      client.listRooms({ query: { limit: 6, search: 'status:active', include: 'customer', count: false }, signal }),
  });
  return (
    <Panel title="Latest rooms" flush aside={<AllLink noun={nouns.rooms} />}>
      {rooms.data?.data.length === 0 ? (
        <Placeholder title="No rooms yet">Rooms appear here with their participants.</Placeholder>
      ) : (
        rooms.data?.data.map((room) => (
          <Line key={room.id}>
            <div style={{ minWidth: 0 }}>
              <Link to="/$noun/$id" params={{ noun: 'rooms', id: room.id }} className="link">
                {room.room_name}
              </Link>
              <Text fz="sm" c="dimmed" truncate>
                {customerOf(room)}
              </Text>
            </div>
            <LiveDot roomId={room.id} />
          </Line>
        ))
      )}
    </Panel>
  );
}

function EndingSoon() {
  const [withinDays, setWithinDays] = useState('30');
  const [renewing, setRenewing] = useState<SubscriptionRow | null>(null);
  const may = useMay();
  const subscriptions = useQuery({
    queryKey: ['listSubscriptions', 'ending', withinDays],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.listSubscriptions({
        query: {
          limit: 6,
          orderBy: 'ends_at',
          sortedBy: 'asc',
          expiring_within: Number(withinDays),
          include: 'customer',
        },
        signal,
      }),
  });
  const total = subscriptions.data?.meta.pagination?.total ?? 0;
  return (
    <Panel
      title="Subscriptions that end soon"
      flush
      aside={
        <NativeSelect
          size="xs"
          w={150}
          aria-label="Within how many days"
          value={withinDays}
          data={['7', '30', '90'].map((days) => ({ value: days, label: `within ${days} days` }))}
          onChange={(event) => setWithinDays(event.currentTarget.value)}
        />
      }
    >
      {subscriptions.data?.data.length === 0 ? (
        <Placeholder title={`No subscription ends within ${withinDays} days`} icon={<IconCalendarCheck stroke={1.4} />}>
          Subscriptions that need to be renewed appear here.
        </Placeholder>
      ) : (
        subscriptions.data?.data.map((subscription) => (
          <Line key={subscription.id}>
            <div style={{ minWidth: 0, flex: 1 }}>
              <Link to="/$noun/$id" params={{ noun: 'subscriptions', id: subscription.id }} className="link">
                {nouns.subscriptions.titleOf(subscription)}
              </Link>
              <Text fz="sm" c="dimmed" truncate>
                {customerOf(subscription)}
              </Text>
              <Text fz="sm" component="div" hiddenFrom="sm">
                <Day day={endOf(subscription)} withRelativeDay />
              </Text>
            </div>
            <Text fz="sm" ta="right" component="div" visibleFrom="sm" style={{ flexShrink: 0 }}>
              <Day day={endOf(subscription)} withRelativeDay />
            </Text>
            {may('renewSubscription') && (
              <Button
                size="xs"
                variant="default"
                style={{ flexShrink: 0 }}
                aria-label={`Renew ${nouns.subscriptions.titleOf(subscription)} of ${customerOf(subscription)}`}
                onClick={() => setRenewing(subscription)}
              >
                Renew
              </Button>
            )}
          </Line>
        ))
      )}
      {total > 0 && (
        <Group className="line" justify="flex-end">
          <Link
            to="/$noun"
            params={{ noun: 'subscriptions' }}
            search={{ only: `expiring_within:${withinDays}`, orderBy: 'ends_at', sortedBy: 'asc' }}
            className="quiet-link"
          >
            <Text fz="sm" c="dimmed" component="span">
              {total > 6 ? `All ${total.toLocaleString('en-GB')} that end soon` : 'Show as a list'}
            </Text>
          </Link>
        </Group>
      )}
      <Suspense>{renewing !== null && <RenewDialog row={renewing} onClose={() => setRenewing(null)} />}</Suspense>
    </Panel>
  );
}

function AllLink({ noun }: { readonly noun: Noun }) {
  return (
    <Link to="/$noun" params={{ noun: noun.path }} className="quiet-link">
      <Text fz="sm" c="dimmed" component="span">
        All {pluralWithin(noun)}
      </Text>
    </Link>
  );
}

function Line({ children }: { readonly children: React.ReactNode }) {
  return (
    <Group className="line" justify="space-between" wrap="nowrap">
      {children}
    </Group>
  );
}

function customerOf(row: Row): string {
  const included = row.customer as { data?: CustomerRow | null } | undefined;
  return included?.data ? nouns.customers.titleOf(included.data) : '';
}
