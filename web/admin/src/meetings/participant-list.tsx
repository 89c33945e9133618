import { counted } from '../../../kit/format/counted.ts';
import './meetings.css';
import { Badge, Button, Group, Table, Text, Tooltip } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatTime } from '../../../kit/format/instants.ts';
import { lengthOf } from '../../../kit/format/lengths.ts';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { JoinMethod, joinMethodIncludes } from './join-method.tsx';

type Participant = EndpointAnswer<'listMeetingParticipants'>['data'][number];

interface Props {
  readonly meetingId: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly isRunning: boolean;
}

const pageSize = 50;

const minutesNote = 'Each started minute of a stay counts. Participant minutes are the sum of all stays.';

/** Participants of a meeting with roles and stays on a common time line. */
export function ParticipantList({ meetingId, startedAt, endedAt, isRunning }: Props) {
  const [limit, setLimit] = useState(pageSize);
  const nowMs = useNow(isRunning ? 10_000 : 60_000);
  const may = useMay();
  const result = useQuery({
    queryKey: ['listMeetingParticipants', meetingId, limit],
    queryFn: ({ signal }) =>
      client.listMeetingParticipants({
        params: { meeting_id: meetingId },
        query: { limit, orderBy: 'joined_at', sortedBy: 'asc', ...joinMethodIncludes(may) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <LoadingNotice />;
  const people = result.data.data;
  const total = result.data.meta.pagination?.total ?? people.length;
  const span = spanOf(people, startedAt, endedAt, nowMs);
  return (
    <Panel
      flush
      title="Participants"
      aside={
        <Text c="dimmed" fz="sm">
          {counted(total, 'participant')}
        </Text>
      }
    >
      {people.length === 0 ? (
        <Placeholder title="No participants yet" icon={<IconUsers stroke={1.4} />}>
          Participants appear here, including those who join directly on the meeting server.
        </Placeholder>
      ) : (
        <div className="scroll-x">
          <Table className="list" data-static>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Joined via</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Joined</Table.Th>
                <Table.Th>Left</Table.Th>
                <Table.Th data-numeric>Minutes</Table.Th>
                <Table.Th w="28%">
                  <Group justify="space-between" wrap="nowrap" component="span">
                    <span>{formatShort(span.fromMs)}</span>
                    <span>{isRunning ? 'now' : formatShort(span.toMs)}</span>
                  </Group>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {people.map((person) => (
                <Table.Tr key={person.id}>
                  <Table.Td>
                    <ParticipantName participant={person} />
                  </Table.Td>
                  <Table.Td data-label="Joined via">
                    <JoinMethod participant={person} />
                  </Table.Td>
                  <Table.Td data-label="Role">
                    <StatusBadge value={person.role} />
                  </Table.Td>
                  <Table.Td data-label="Joined">
                    {person.joined_at !== null && (
                      <time dateTime={person.joined_at}>{formatShort(Date.parse(person.joined_at))}</time>
                    )}
                  </Table.Td>
                  <Table.Td data-label="Left">
                    {person.left_at === null ? (
                      <Badge variant="light" color="pine" tt="none" fw={560}>
                        in the meeting
                      </Badge>
                    ) : (
                      <time dateTime={person.left_at}>{formatShort(Date.parse(person.left_at))}</time>
                    )}
                  </Table.Td>
                  <Table.Td data-label="Minutes" data-numeric>
                    {person.minutes.toLocaleString('en-GB')}
                  </Table.Td>
                  <Table.Td>
                    <Stays participant={person} span={span} nowMs={nowMs} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {people.length < total && (
        <Group className="line" justify="center">
          <Button
            variant="default"
            size="xs"
            loading={result.isFetching}
            onClick={() => setLimit(limit + 4 * pageSize)}
          >
            Show more of {total.toLocaleString('en-GB')}
          </Button>
        </Group>
      )}
      {people.length > 0 && (
        <Text className="line" c="dimmed" fz="sm">
          {minutesNote}
        </Text>
      )}
      {people.some(({ name }) => name === null) && <NamesNote />}
    </Panel>
  );
}

function ParticipantName({ participant }: { readonly participant: Participant }) {
  return (
    <>
      {participant.name === null ? (
        <Text c="dimmed" fs="italic">
          No name stored
        </Text>
      ) : (
        <Text fw={540} truncate>
          {participant.name}
        </Text>
      )}
    </>
  );
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time from the start of the meeting to its end, or to now, extended if a stay began earlier or ended later. */
function spanOf(people: readonly Participant[], startedAt: string | null, endedAt: string | null, nowMs: number): Span {
  const moments = people.flatMap(({ joined_at: from, left_at: to }) => [
    from === null ? nowMs : Date.parse(from),
    to === null ? nowMs : Date.parse(to),
  ]);
  const fromMs = Math.min(startedAt === null ? nowMs : Date.parse(startedAt), ...moments);
  const toMs = Math.max(endedAt === null ? nowMs : Date.parse(endedAt), ...moments);
  return { fromMs, toMs: Math.max(toMs, fromMs + 1000) };
}

/** The stays of a participant, as bars on the time line of the meeting. */
function Stays(props: { readonly participant: Participant; readonly span: Span; readonly nowMs: number }) {
  const { participant, span, nowMs } = props;
  const percentAt = (ms: number) => ((ms - span.fromMs) / (span.toMs - span.fromMs)) * 100;
  return (
    <div className="stays" role="img" aria-label={`In the meeting ${describeStays(participant)}`}>
      {participant.stays.map((stay) => {
        const from = percentAt(Date.parse(stay.joined_at));
        const to = percentAt(stay.left_at === null ? nowMs : Date.parse(stay.left_at));
        return (
          <Tooltip key={stay.joined_at} label={`${describeStay(stay)} · ${lengthOf(stay.minutes)}`}>
            <span
              className="stay"
              data-open={stay.left_at === null || undefined}
              style={{ left: `${from}%`, width: `max(3px, ${Math.max(0, to - from)}%)` }}
            />
          </Tooltip>
        );
      })}
    </div>
  );
}

function describeStays({ stays }: Participant): string {
  return stays.map(describeStay).join(', ');
}

function describeStay(stay: { readonly joined_at: string; readonly left_at: string | null }): string {
  const from = formatTime(Date.parse(stay.joined_at));
  return stay.left_at === null ? `since ${from}` : `${from} – ${formatTime(Date.parse(stay.left_at))}`;
}

function formatShort(ms: number): string {
  return shortFormat.format(ms);
}

const shortFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The retention of names, if the caller may read the settings. */
function NamesNote() {
  const may = useMay();
  const settings = useQuery({
    queryKey: ['readSettings'],
    enabled: may('readSettings'),
    queryFn: ({ signal }) => client.readSettings({ signal }),
  });
  const days = settings.data?.data.participant_names_days;
  return (
    <Text className="line" c="dimmed" fz="sm">
      {days === undefined
        ? 'Names of participants are deleted after the period in the settings.'
        : days === 0
          ? 'Names of participants are not stored, according to the settings.'
          : `Names of participants are deleted ${days} days after they leave, according to the settings.`}
    </Text>
  );
}
