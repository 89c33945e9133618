import { countedOrNo } from '../../../kit/format/counted.ts';
import { Alert, Group, Stack, Text } from '@mantine/core';
import { Waiting } from '../../../kit/api/waiting.tsx';
import { IconAlertTriangle, IconPlayerRecord, IconUsersGroup, IconVideo } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lengthOf, minutesBetween } from '../../../kit/format/lengths.ts';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { type Row, textOrNull } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useProvidersHealth } from '../providers/provider-state.tsx';
import type { CustomerRow } from '../nouns/rows.ts';

/** The active providers that are down or degraded; renders nothing if there are none. */
export function UnhealthyProviders() {
  const result = useProvidersHealth();
  const unhealthy = (result.data?.data.providers ?? []).filter(
    ({ active, state }) => active && (state === 'down' || state === 'degraded'),
  );
  if (unhealthy.length === 0) return null;
  const down = unhealthy.filter(({ state }) => state === 'down');
  return (
    <Alert
      color={down.length > 0 ? 'red' : 'yellow'}
      variant="light"
      icon={<IconAlertTriangle size={20} />}
      title={titleOf(down.length, unhealthy.length)}
    >
      <Stack gap={4}>
        {unhealthy.slice(0, maxProviders).map((provider) => (
          <Text key={provider.service_provider_id} inherit component="div">
            <Link
              to="/$noun/$id"
              params={{ noun: 'service-providers', id: provider.service_provider_id }}
              className="link"
              style={{ color: 'inherit', textDecoration: 'underline', textUnderlineOffset: 3 }}
            >
              {provider.provider_name}
            </Link>{' '}
            {provider.state === 'down' ? 'does not respond' : 'responds slowly or irregularly'}
            {provider.since !== null && (
              <>
                {' '}
                · since <RelativeTime instant={provider.since} />
              </>
            )}
            {provider.problem !== null && ` · ${provider.problem}`}
          </Text>
        ))}
        {unhealthy.length > maxProviders && <Text inherit>and {unhealthy.length - maxProviders} more</Text>}
      </Stack>
    </Alert>
  );
}

const maxProviders = 5;

function titleOf(downCount: number, unhealthyCount: number): string {
  if (downCount === 0)
    return unhealthyCount === 1 ? 'One provider has problems' : `${unhealthyCount} providers have problems`;
  return downCount === 1 ? 'One provider is down' : `${downCount} providers are down`;
}

export function RunningMeetings() {
  const nowMs = useNow();
  const meetings = useQuery({
    queryKey: ['listMeetings', 'running'],
    queryFn: ({ signal }) =>
      client.listMeetings({
        query: {
          limit: 6,
          search: 'state:open',
          include: 'room,customer',
          orderBy: 'participant_count',
          sortedBy: 'desc',
        },
        signal,
      }),
  });
  const participants = useParticipantsNow();
  const total = meetings.data?.meta.pagination?.total;
  return (
    <Panel flush title="Running now" aside={<AllOf noun="meetings" label="All meetings" />}>
      <div className="glance" style={{ borderBottom: '1px solid var(--foyer-line)' }}>
        <Figure icon={<IconVideo size={16} stroke={1.6} />} label="Meetings" value={total} />
        <Figure icon={<IconUsersGroup size={16} stroke={1.6} />} label="Participants" value={participants} />
      </div>
      {meetings.data?.data.length === 0 ? (
        <Placeholder title="No meetings running" icon={<IconVideo stroke={1.4} />}>
          Meetings appear here with their participants, the largest first.
        </Placeholder>
      ) : (
        meetings.data?.data.map((meeting) => (
          <Group key={meeting.id} className="line" justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Link to="/$noun/$id" params={{ noun: 'meetings', id: meeting.id }} className="link">
                {nouns.meetings.titleOf(meeting)}
              </Link>
              <Text fz="sm" c="dimmed" truncate>
                {customerOf(meeting)}
                {meeting.started_at !== null && ` · for ${lengthOf(minutesBetween(meeting.started_at, null, nowMs))}`}
              </Text>
            </div>
            <Group gap={8} wrap="nowrap" className="running" style={{ flexShrink: 0 }}>
              <span className="pulse" />
              <Text fz="sm" fw={560}>
                {countedOrNo(meeting.participant_count, 'participant')}
              </Text>
            </Group>
          </Group>
        ))
      )}
    </Panel>
  );
}

/** The number of participants in running meetings; undefined while loading. */
function useParticipantsNow(): number | undefined {
  const result = useQuery({
    queryKey: ['listMeetings', 'participants'],
    queryFn: async ({ signal }) => {
      const query = { limit: 0, search: 'state:open', filter: 'id;participant_count' };
      const { data } = await client.listMeetings({ query, signal });
      return data.reduce((sum, meeting) => sum + meeting.participant_count, 0);
    },
  });
  return result.data;
}

export function EndingRecordings() {
  const recordings = useQuery({
    queryKey: ['listRecordings', 'ending'],
    queryFn: ({ signal }) =>
      client.listRecordings({
        query: { limit: 6, orderBy: 'expires_at', sortedBy: 'asc', include: 'room,customer', count: false },
        signal,
      }),
  });
  const ending = recordings.data?.data.filter(({ expires_at: at }) => at !== null) ?? [];
  return (
    <Panel flush title="Recordings that expire next" aside={<AllOf noun="recordings" label="All recordings" />}>
      {recordings.data === undefined ? (
        <div className="line">
          <Waiting h={16} w="60%" />
        </div>
      ) : ending.length === 0 ? (
        <Placeholder title="No recordings expire" icon={<IconPlayerRecord stroke={1.4} />}>
          Recordings with a limited retention appear here before they are deleted.
        </Placeholder>
      ) : (
        ending.map((recording) => (
          <Group key={recording.id} className="line" justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Link to="/$noun/$id" params={{ noun: 'recordings', id: recording.id }} className="link">
                {nouns.recordings.titleOf(recording)}
              </Link>
              <Text fz="sm" c="dimmed" truncate>
                {customerOf(recording)}
              </Text>
            </div>
            <Text fz="sm" ta="right" style={{ flexShrink: 0 }}>
              {recording.expires_at !== null && <RelativeTime instant={recording.expires_at} />}
            </Text>
          </Group>
        ))
      )}
    </Panel>
  );
}

function Figure(props: { readonly icon: ReactNode; readonly label: string; readonly value: number | undefined }) {
  return (
    <div className="figure">
      <Group gap={6} c="dimmed">
        {props.icon}
        <Text fz="sm">{props.label}</Text>
      </Group>
      {props.value === undefined ? (
        <Waiting h={26} w={40} mt={4} />
      ) : (
        <Text fz={24} fw={620} lh={1.3}>
          {props.value.toLocaleString('en-GB')}
        </Text>
      )}
    </div>
  );
}

function AllOf({ noun, label }: { readonly noun: string; readonly label: string }) {
  return (
    <Link to="/$noun" params={{ noun }} className="quiet-link">
      <Text fz="sm" c="dimmed" component="span">
        {label}
      </Text>
    </Link>
  );
}

function customerOf(row: Row): string {
  const included = row.customer as { data?: CustomerRow | null } | undefined;
  return included?.data ? nouns.customers.titleOf(included.data) : (textOrNull(row, 'customer_id') ?? '');
}
