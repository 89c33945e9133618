import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DetailPage } from '../resource/detail-page.tsx';
import { FactList, Facts, IdentityPanel } from '../../../kit/display/facts.tsx';
import { RelatedList } from '../resource/related-list.tsx';
import { Absent } from '../../../kit/display/field-value.tsx';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { exactLengthOf, lengthOf, minutesBetween } from '../../../kit/format/lengths.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { EndMeeting } from './end-meeting.tsx';
import { endReasonText, MeetingState } from './meeting-cells.tsx';
import { ParticipantList } from './participant-list.tsx';
import { text, textOrNull } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { MeetingRow } from '../nouns/rows.ts';

export function MeetingScreen({ row }: ScreenProps<MeetingRow>) {
  const may = useMay();
  const noun = nouns.meetings;
  const isRunning = row.state !== 'ended';
  return (
    <DetailPage
      noun={noun}
      row={row}
      badges={<MeetingState state={text(row, 'state')} />}
      summary={<Summary row={row} />}
      actions={
        isRunning && <EndMeeting meetingId={row.id} name={noun.titleOf(row)} participantCount={row.participant_count} />
      }
      sections={[
        {
          key: 'overview',
          title: 'Overview',
          content: (
            <Stack gap="lg">
              <Figures row={row} isRunning={isRunning} />
              {may('listMeetingParticipants') && (
                <ParticipantList
                  meetingId={row.id}
                  startedAt={textOrNull(row, 'started_at')}
                  endedAt={textOrNull(row, 'ended_at')}
                  isRunning={isRunning}
                />
              )}
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <Panel title="Where and when">
                  <WhereAndWhen row={row} />
                </Panel>
                <Stack gap="lg">
                  <Panel title="Belongs to">
                    <Facts noun={noun} row={row} names={['room_id', 'customer_id', 'subscription_id']} />
                  </Panel>
                  <IdentityPanel noun={noun} row={row} />
                </Stack>
              </SimpleGrid>
            </Stack>
          ),
        },
        {
          key: 'recordings',
          title: 'Recordings',
          hidden: !may('listRecordings'),
          content: <RelatedList noun={nouns.recordings} within={{ meeting_id: row.id }} presets={null} />,
        },
        {
          key: 'events',
          title: 'Events',
          hidden: !may('listAuditEntries'),
          content: <RelatedList noun={nouns.auditEntries} within={{ resource_id: row.id }} presets={null} />,
        },
      ]}
    />
  );
}

function Summary({ row }: { readonly row: MeetingRow }) {
  const startedAt = textOrNull(row, 'started_at');
  if (startedAt === null) return <>Not started yet</>;
  return (
    <Group gap={6}>
      <span>{formatShortInstant(startedAt)}</span>
      <span>
        · <RelativeTime instant={startedAt} />
      </span>
    </Group>
  );
}

function Figures({ row, isRunning }: { readonly row: MeetingRow; readonly isRunning: boolean }) {
  const nowMs = useNow();
  const startedAt = textOrNull(row, 'started_at');
  const length = startedAt === null ? null : minutesBetween(startedAt, textOrNull(row, 'ended_at'), nowMs);
  return (
    <section className="panel glance" aria-label="Key figures">
      {isRunning && <Figure label="Participants now">{formatCount(row.participant_count)}</Figure>}
      <Figure label="Most participants">{formatCount(row.peak_participants)}</Figure>
      <Figure label={isRunning ? 'Running for' : 'Length'}>
        {length === null ? '–' : isRunning ? lengthOf(length) : exactLengthOf(length)}
      </Figure>
      <Figure label="Participant minutes" note="each started minute of a stay counts">
        {formatCount(row.participant_minutes)}
      </Figure>
    </section>
  );
}

function Figure({
  label,
  note,
  children,
}: {
  readonly label: string;
  readonly note?: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="figure">
      <Text fz="xs" c="dimmed">
        {label}
      </Text>
      <Text fz="xl" fw={620} lh={1.3}>
        {children}
      </Text>
      {note && (
        <Text fz="xs" c="dimmed">
          {note}
        </Text>
      )}
    </div>
  );
}

function formatCount(value: unknown): string {
  return Number(value).toLocaleString('en-GB');
}

function WhereAndWhen({ row }: { readonly row: MeetingRow }) {
  const reason = textOrNull(row, 'end_reason');
  return (
    <FactList
      facts={[
        ['Service provider', <ProviderOf key="provider" row={row} />],
        ['Provider’s id', <Copyable key="id" value={text(row, 'provider_meeting_id')} label="the provider’s id" />],
        ['Started', <Moment key="began" at={textOrNull(row, 'started_at')} />],
        ['Ended', <Moment key="ended" at={textOrNull(row, 'ended_at')} />],
        ...(reason === null ? [] : [['Why it ended', endReasonText(reason)] as const]),
      ]}
    />
  );
}

function Moment({ at }: { readonly at: string | null }) {
  if (at === null) return <Absent />;
  return <time dateTime={at}>{formatShortInstant(at)}</time>;
}

function ProviderOf({ row }: { readonly row: MeetingRow }) {
  const may = useMay();
  const provider = row.provider;
  if (provider === null)
    return <Text c="dimmed">{textOrNull(row, 'started_at') === null ? 'No provider yet' : 'Deleted provider'}</Text>;
  const type = (
    <Text component="span" inherit c="dimmed">
      {' '}
      · {wordOf(provider.type)}
    </Text>
  );
  return may('readServiceProvider') ? (
    <>
      <Link to="/$noun/$id" params={{ noun: 'service-providers', id: provider.id }} className="link">
        {provider.name}
      </Link>
      {type}
    </>
  ) : (
    <>
      {provider.name}
      {type}
    </>
  );
}
