import './providers.css';
import { Alert, Button, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { Waiting } from '../../../kit/api/waiting.tsx';
import { findProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import { type HealthPeriod, healthPeriods } from '@foyer/contract/resources/providers/service-provider-health.ts';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconAlertCircle, IconPlugConnected } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FailureNotice, RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import type { ServiceProviderRow } from '../nouns/rows.ts';
import { CapacityUse } from './capacity-use.tsx';
import { CheckFindings } from './check-findings.tsx';
import { AvailabilityStrip, HistoryChart } from './history-chart.tsx';
import { isBeingChecked, ProviderState, uncountedText } from './provider-state.tsx';
import { type Draining, drainingActionLabel } from './use-draining.tsx';

type Health = EndpointAnswer<'readServiceProviderHealth'>['data'];

const periodNames: Readonly<Record<HealthPeriod, string>> = {
  hour: 'Hour',
  day: '24 h',
  week: '7 days',
  month: '30 days',
};

/** Health of a provider, its history, and an immediate check. */
export function HealthPanel(props: { readonly provider: ServiceProviderRow; readonly draining: Draining }) {
  const { id, provider_type: type } = props.provider;
  const [period, setPeriod] = useState<HealthPeriod>('day');
  const params = { service_provider_id: id };
  const result = useQuery({
    queryKey: ['readServiceProviderHealth', id, period],
    queryFn: ({ signal }) => client.readServiceProviderHealth({ params, query: { period }, signal }),
    placeholderData: keepPreviousData,
    // The first check sends no event, so its result is polled.
    refetchInterval: ({ state }) => (state.data && isBeingChecked(state.data.data) ? 2000 : false),
  });
  const check = useMutation({
    mutationFn: () => client.checkServiceProvider({ params }),
    onSuccess: () => void refreshEverything(),
  });
  if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
  const health = result.data?.data;
  if (health === undefined) return <Waiting h={300} radius="lg" />;
  return (
    <Stack gap="lg">
      <Panel
        flush
        title="Health"
        aside={
          <Button
            size="xs"
            variant="light"
            leftSection={<IconPlugConnected size={15} />}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            Check now
          </Button>
        }
      >
        <CurrentState health={health} draining={props.draining} canShareAddress={servesSeveralTypes(type)} />
        {(check.error ?? check.data) && (
          <div className="line">
            <RefusalAlert error={check.error} />
            {check.data && <CheckFindings result={check.data.data} />}
          </div>
        )}
      </Panel>
      <Panel
        title="History"
        aside={
          <SegmentedControl
            size="xs"
            aria-label="Period of the history"
            value={period}
            onChange={(next) => setPeriod(next)}
            data={healthPeriods.map((name) => ({ value: name, label: periodNames[name] }))}
          />
        }
      >
        <Stack gap="lg" style={{ opacity: result.isPlaceholderData ? 0.6 : 1 }}>
          <AvailabilityStrip intervals={health.history} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
            <HistoryChart
              title="Latency"
              unit="ms"
              intervals={health.history}
              valueOf={({ latency_ms: ms }) => ms}
              maximumOf={({ latency_max_ms: ms }) => ms}
            />
            <HistoryChart
              title="Simultaneous participants"
              unit=""
              intervals={health.history}
              valueOf={({ participants }) => participants}
              limit={health.capacity.max_participants}
            />
          </SimpleGrid>
        </Stack>
      </Panel>
    </Stack>
  );
}

/** Servers of these types are added once for each service type, so a shared address is no warning. */
function servesSeveralTypes(type: string): boolean {
  return (findProviderType(type)?.serviceTypes.length ?? 0) > 1;
}

interface CurrentStateProps {
  readonly health: Health;
  readonly draining: Draining;
  readonly canShareAddress: boolean;
}

function CurrentState({ health, draining, canShareAddress }: CurrentStateProps) {
  const isDown = health.state === 'down';
  const isChecking = isBeingChecked(health);
  const uncounted = uncountedText(health);
  // Figures beside a problem are from an earlier check.
  const isResponding = health.problem === null && !isDown && health.state !== 'unknown';
  const countedAt = isResponding ? null : health.counted_at;
  return (
    <>
      <div className="glance health-glance">
        <Figure label="State">
          <ProviderState
            active={health.active}
            draining={health.draining}
            state={health.state}
            isChecking={isChecking}
          />
          {!isChecking && health.since !== null && (
            <Text fz="xs" c="dimmed" component="div">
              since <RelativeTime instant={health.since} />
            </Text>
          )}
          {draining.isAllowed && health.active && (
            <Button size="compact-xs" variant="default" mt={6} loading={draining.isBusy} onClick={draining.toggle}>
              {drainingActionLabel(draining.isDraining)}
            </Button>
          )}
        </Figure>
        <Figure label="Responds in">
          <Value>
            {health.latency_ms === null || !isResponding ? '–' : `${health.latency_ms.toLocaleString('en-GB')} ms`}
          </Value>
          <Text fz="xs" c="dimmed" component="div">
            {health.checked_at === null ? (
              isChecking ? (
                'being checked…'
              ) : (
                'never checked'
              )
            ) : (
              <>
                checked <RelativeTime instant={health.checked_at} />
              </>
            )}
          </Text>
        </Figure>
        <Figure label="Available, 24 h">
          <Value>{percentText(health.availability.day)}</Value>
          <Text fz="xs" c="dimmed">
            {percentText(health.availability.week)} in 7 days
          </Text>
        </Figure>
        <Figure label="Meetings">
          {isDown ? (
            <UnknownFigure limit={health.capacity.max_meetings} />
          ) : (
            <>
              <CapacityUse
                label="Meetings"
                used={health.running_meetings}
                limit={health.capacity.max_meetings}
                uncounted={uncounted}
              />
              <RemainingCapacity count={health.capacity.meetings_left} countedAt={countedAt} />
            </>
          )}
        </Figure>
        <Figure label="Participants">
          {isDown ? (
            <UnknownFigure limit={health.capacity.max_participants} />
          ) : (
            <>
              <CapacityUse
                label="Participants"
                used={health.participants}
                limit={health.capacity.max_participants}
                uncounted={uncounted}
              />
              <RemainingCapacity count={health.capacity.participants_left} countedAt={countedAt} />
            </>
          )}
        </Figure>
      </div>
      {health.problem !== null && (
        <div className="line">
          <Alert
            color={health.state === 'down' ? 'red' : 'yellow'}
            variant="light"
            icon={<IconAlertCircle size={18} />}
          >
            {health.problem}
          </Alert>
        </div>
      )}
      {health.same_server.length > 0 && !canShareAddress && (
        <div className="line">
          <Alert color="yellow" variant="light" icon={<IconAlertCircle size={18} />}>
            {sameServerText(health.same_server.length)}
          </Alert>
        </div>
      )}
      <Text className="line" fz="sm" c="dimmed">
        {isChecking ? 'Checking whether this provider takes new meetings…' : placementText(health)}
      </Text>
    </>
  );
}

function placementText(health: Health): string {
  if (!health.active) return 'This provider is inactive. It gets no meetings and no health checks.';
  if (health.draining)
    return 'This provider is draining and takes no new meetings. Running meetings continue, and people can join them.';
  if (health.state === 'down') return 'This provider is down, and tried only if no other accepts a meeting.';
  if (health.problem !== null) {
    return 'The last check failed. New meetings go to other providers first; this provider is tried only if none of them accepts.';
  }
  if (health.state === 'unknown')
    return 'This provider hasn’t been checked recently. The next check shows whether it takes new meetings.';
  if (!health.capacity.takes_meetings) return 'This provider is full until a meeting ends or people leave.';
  return health.capacity.share === 0
    ? 'This provider takes new meetings only if no other provider of its pool can.'
    : 'This provider takes new meetings.';
}

function sameServerText(otherCount: number): string {
  const subject = otherCount === 1 ? 'Another service provider has' : `${otherCount} other service providers have`;
  return `${subject} the same address. Each provider shows all meetings and recordings of the server, but totals count them once. In a pool, the server gets the shares of all these providers.`;
}

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="figure">
      <Text fz="xs" c="dimmed" mb={2}>
        {label}
      </Text>
      {children}
    </div>
  );
}

function Value({ children }: { readonly children: ReactNode }) {
  return (
    <Text fw={620} fz="lg" lh={1.3}>
      {children}
    </Text>
  );
}

/** Figures of a server that does not respond. */
function UnknownFigure({ limit }: { readonly limit: number | null }) {
  return (
    <>
      <Value>–</Value>
      <Text fz="xs" c="dimmed">
        {limit === null ? 'no limit' : `at most ${limit.toLocaleString('en-GB')}`}
      </Text>
    </>
  );
}

/** The remaining capacity, with the time of the count if it is not current. */
function RemainingCapacity({ count, countedAt }: { readonly count: number | null; readonly countedAt: string | null }) {
  if (countedAt !== null) {
    return (
      <Text fz="xs" c="dimmed" component="div">
        counted <RelativeTime instant={countedAt} />
      </Text>
    );
  }
  return (
    <Text fz="xs" c="dimmed">
      {count === null ? 'no limit' : `${count.toLocaleString('en-GB')} left`}
    </Text>
  );
}

export function percentText(percent: number | null): string {
  if (percent === null) return '–';
  return `${percent.toLocaleString('en-GB', { maximumFractionDigits: percent < 100 && percent > 99 ? 2 : 1 })} %`;
}
