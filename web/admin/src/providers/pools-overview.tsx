import { Badge, Group, Table, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../../kit/display/page-header.tsx';
import { client } from '../../../kit/api/client.ts';
import { CapacityUse } from './capacity-use.tsx';
import { exclusionReason, placementOrder, takesNewMeetings, isLastResort, type PoolMember } from './next-in-pool.ts';
import { isBeingChecked, ProviderState, uncountedText, useProvidersHealth } from './provider-state.tsx';

interface Member extends PoolMember {
  readonly pool: string;
  readonly tags: readonly string[];
  readonly maxMeetings: number | null;
  readonly maxParticipants: number | null;
  readonly problem: string | null;
  readonly isChecking: boolean;
  /** The text that is shown instead of unknown figures. */
  readonly uncounted: string;
}

/** The pools with their providers, and where the next meeting starts. */
export function PoolsOverview() {
  const members = useMembers();
  const pools = [...new Set(members.map(({ pool }) => pool))].sort((one, other) => one.localeCompare(other));
  if (pools.length === 0) return null;
  return (
    <>
      {pools.map((pool) => (
        <div key={pool} style={{ marginBottom: 'var(--mantine-spacing-lg)' }}>
          <PoolPanel pool={pool} members={members.filter((member) => member.pool === pool)} />
        </div>
      ))}
    </>
  );
}

/** Every provider that is in a pool, with its settings and state. */
function useMembers(): Member[] {
  const providers = useQuery({
    queryKey: ['listServiceProviders', 'pools'],
    queryFn: ({ signal }) => client.listServiceProviders({ query: { limit: 0, include: '' }, signal }),
  });
  const health = useProvidersHealth();
  const states = new Map(health.data?.data.providers.map((summary) => [summary.service_provider_id, summary]));
  return (providers.data?.data ?? []).flatMap((provider) => {
    const summary = states.get(provider.id);
    if (provider.pool === null) return [];
    const isDown = summary?.state === 'down';
    return {
      id: provider.id,
      name: provider.provider_name,
      pool: provider.pool,
      tags: provider.tags,
      weight: provider.weight,
      active: provider.active,
      draining: provider.draining,
      maxMeetings: provider.max_meetings,
      maxParticipants: provider.max_participants,
      state: summary?.state ?? 'unknown',
      problem: summary?.problem ?? null,
      isChecking: summary !== undefined && isBeingChecked(summary),
      // The last load of a server that is down has no meaning.
      meetings: isDown ? null : (summary?.running_meetings ?? null),
      participants: isDown ? null : (summary?.participants ?? null),
      uncounted: uncountedText(summary),
      takesMeetings: summary?.capacity.takes_meetings ?? false,
      share: summary?.capacity.share ?? null,
    };
  });
}

function PoolPanel({ pool, members }: { readonly pool: string; readonly members: readonly Member[] }) {
  const ordered = placementOrder(members) as Member[];
  const [firstMember] = ordered;
  const next = firstMember !== undefined && takesNewMeetings(firstMember) ? firstMember : null;
  return (
    <Panel
      flush
      title={`Pool “${pool}”`}
      aside={
        next === null ? (
          <Text fz="sm" c="red" fw={560}>
            {firstMember !== undefined && isLastResort(firstMember)
              ? 'No provider responds'
              : 'No provider takes new meetings'}
          </Text>
        ) : (
          <Text fz="sm" c="dimmed">
            The next meeting starts on {next.name}
          </Text>
        )
      }
    >
      <div className="scroll-x">
        <Table className="list" data-static>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Provider</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>
                <Tooltip label="Share of new meetings, by weight and current state" multiline>
                  <span>Share</span>
                </Tooltip>
              </Table.Th>
              <Table.Th>Meetings</Table.Th>
              <Table.Th>Participants</Table.Th>
              <Table.Th>Order</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ordered.map((member, index) => (
              <Table.Tr key={member.id}>
                <Table.Td>
                  <Link to="/$noun/$id" params={{ noun: 'service-providers', id: member.id }} className="link">
                    {member.name}
                  </Link>
                  {member.tags.length > 0 && (
                    <Text fz="xs" c="dimmed">
                      {member.tags.join(', ')}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td data-label="State">
                  <ProviderState {...member} />
                </Table.Td>
                <Table.Td data-label="Share">
                  {takesNewMeetings(member) && member.share !== null ? `${Math.round(member.share)} %` : '–'}
                </Table.Td>
                <Table.Td data-label="Meetings">
                  <CapacityUse
                    label={`Meetings on ${member.name}`}
                    used={member.meetings}
                    limit={member.maxMeetings}
                    uncounted={member.uncounted}
                  />
                </Table.Td>
                <Table.Td data-label="Participants">
                  <CapacityUse
                    label={`Participants on ${member.name}`}
                    used={member.participants}
                    limit={member.maxParticipants}
                    uncounted={member.uncounted}
                  />
                </Table.Td>
                <Table.Td data-label="Order">
                  <PoolPosition member={member} position={index} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Panel>
  );
}

function PoolPosition({ member, position }: { readonly member: PoolMember; readonly position: number }) {
  if (isLastResort(member)) return <>last, because it is down</>;
  const reason = exclusionReason(member);
  if (reason !== null) {
    return (
      <Text component="span" inherit c="dimmed">
        none: {reason}
      </Text>
    );
  }
  if (position > 0) return <>{position + 1}.</>;
  return (
    <Group gap={6} component="span" display="inline-flex">
      <Badge variant="light" tt="none" fw={560}>
        Next
      </Badge>
    </Group>
  );
}
