import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { IconArrowRight, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FactList } from '../../../../kit/display/facts.tsx';
import { Absent } from '../../../../kit/display/field-value.tsx';
import { formatShortInstant } from '../../../../kit/format/instants.ts';
import { wordOf } from '../../../../kit/format/label.ts';
import { percentOf } from '../../../../kit/format/lengths.ts';
import { withFieldLabels } from '../../../../kit/format/sentences.ts';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../../kit/display/status.tsx';
import { RelativeTime } from '../../../../kit/display/times.tsx';
import { nounIndex } from '../../nouns/nouns.ts';
import { client } from '../../../../kit/api/client.ts';
import { useMay } from '../../../../kit/noun/app.tsx';
import { findAdvice } from './entry-advice.ts';

export type EntryCheck = EndpointAnswer<'checkRoomEntry'>['data'];
type Reason = EntryCheck['reasons'][number];
type Fact = Reason['facts'][number];

/** Whether the person can join, each reason why not, and which limits joining would use. */
export function JoinFindings({ roomId, check }: { readonly roomId: string; readonly check: EntryCheck }) {
  const count = check.reasons.length;
  return (
    <Stack gap="lg" role="region" aria-label="Result" aria-live="polite">
      {check.allowed ? (
        <Alert color="pine" variant="light" icon={<IconCircleCheck size={20} />} title="This person can join">
          They would join{check.role === null ? '' : ` as ${wordOf(check.role).toLowerCase()}`}. If it still fails,
          check their browser, microphone and network.
        </Alert>
      ) : (
        <Alert
          color="red"
          variant="light"
          icon={<IconCircleX size={20} />}
          title={`This person can’t join yet. ${count === 1 ? '1 thing' : `${count} things`} to fix:`}
        >
          {count === 1 ? 'After that, they can join.' : 'After all of these, they can join.'}
        </Alert>
      )}
      {check.reasons.map((reason) => (
        <ReasonPanel key={reason.code} roomId={roomId} reason={reason} />
      ))}
      <UsedResources roomId={roomId} check={check} />
    </Stack>
  );
}

function ReasonPanel({ roomId, reason }: { readonly roomId: string; readonly reason: Reason }) {
  const advice = findAdvice(reason);
  return (
    <Panel
      flush
      title={titleOf(reason.code)}
      aside={
        <Text fz="xs" c="dimmed" ff="monospace">
          {reason.code}
        </Text>
      }
    >
      {reason.facts.map((fact, index) => (
        <FactLine key={`${index} ${fact.message}`} fact={fact} />
      ))}
      {advice && (
        <div className="line">
          <Text fz="xs" c="dimmed" fw={560}>
            What to do
          </Text>
          <Text>
            {advice.text}{' '}
            {advice.tab && (
              <Link
                to="/$noun/$id"
                params={{ noun: 'rooms', id: roomId }}
                search={{ tab: advice.tab }}
                className="link"
                style={{ whiteSpace: 'nowrap' }}
              >
                {advice.tabLabel} <IconArrowRight size={13} aria-hidden style={{ verticalAlign: -2 }} />
              </Link>
            )}
          </Text>
        </div>
      )}
      <div className="line">
        <Text fz="xs" c="dimmed" fw={560}>
          Message to the person
        </Text>
        <Text c="dimmed">“{reason.message}”</Text>
      </div>
    </Panel>
  );
}

function FactLine({ fact }: { readonly fact: Fact }) {
  return (
    <div className="line">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Text style={{ flex: '1 1 260px' }} fw={500}>
          {withFieldLabels(fact.message)}
        </Text>
        {fact.subject && <SubjectLink subject={fact.subject} />}
      </Group>
      {fact.limit !== null && fact.used !== null && (
        <UsageBar used={fact.used} limit={fact.limit} feature={fact.feature} />
      )}
      {(fact.since !== null || fact.until !== null) && (
        <Text fz="sm" c="dimmed" component="div">
          {fact.since !== null && (
            <>
              since <time dateTime={fact.since}>{formatShortInstant(fact.since)}</time> (
              <RelativeTime instant={fact.since} />)
            </>
          )}
          {fact.since !== null && fact.until !== null && ', '}
          {fact.until !== null && (
            <>
              until <time dateTime={fact.until}>{formatShortInstant(fact.until)}</time> (
              <RelativeTime instant={fact.until} />)
            </>
          )}
        </Text>
      )}
    </div>
  );
}

/** The subject of a fact, with name and link if the caller may read it. */
function SubjectLink({ subject }: { readonly subject: NonNullable<Fact['subject']> }) {
  const may = useMay();
  const noun = nounIndex.findByObject(subject.type);
  const kind = wordOf(typeNames[subject.type] ?? subject.type);
  const name = subject.name ?? (subject.id === null ? kind : `This ${kind.toLowerCase()}`);
  return (
    <Group gap={8} wrap="nowrap">
      {noun !== null && subject.id !== null && may(noun.read) ? (
        <Link to="/$noun/$id" params={{ noun: noun.path, id: subject.id }} className="link">
          {name}
        </Link>
      ) : (
        <Text fw={540}>{name}</Text>
      )}
      {subject.status && <StatusBadge value={subject.status} />}
    </Group>
  );
}

const typeNames: Readonly<Record<string, string>> = {
  ServicePackageSubscription: 'Subscription',
  RoomToken: 'Token',
  RoomAccessCode: 'Access code',
  ServiceProvider: 'Provider',
};

function UsageBar(props: { readonly used: number; readonly limit: number; readonly feature: string | null }) {
  const { used, limit, feature } = props;
  const name = feature === null ? 'Used' : (findFeature(feature)?.name ?? feature);
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text fz="sm" c="dimmed">
          {name}
        </Text>
        <Text fz="sm">
          {used.toLocaleString('en-GB')} of {limit.toLocaleString('en-GB')}
        </Text>
      </Group>
      <Progress
        size="sm"
        value={percentOf(used, limit)}
        color={used >= limit ? 'red' : 'pine'}
        aria-label={`${name}: ${used} of ${limit}`}
      />
    </div>
  );
}

/** The token, code, meeting, provider and limits that joining would use. */
function UsedResources({ roomId, check }: { readonly roomId: string; readonly check: EntryCheck }) {
  const use = check.would_use;
  const limits = use.limits.filter(({ limit, used }) => limit !== null && used !== null);
  const facts: (readonly [string, ReactNode])[] = [
    ['Role', check.role === null ? <Absent key="role" /> : <StatusBadge key="role" value={check.role} />],
    ['Token', use.token_id === null ? 'None' : <TokenUsed key="token" roomId={roomId} tokenId={use.token_id} />],
    ['Access code', use.access_code_id === null ? 'None required, or no match' : 'The code that you entered'],
    ['Meeting', <MeetingUsed key="meeting" id={use.meeting_id} startsMeeting={use.starts_meeting} />],
    ...(use.starts_meeting
      ? [
          [
            'Recording',
            use.may_be_recorded ? 'Possible' : (noRecordingTexts[use.not_recorded_by ?? 'recording'] ?? 'Not possible'),
          ] as const,
        ]
      : []),
    [
      'Provider',
      use.providers.length === 0 ? (
        'None available'
      ) : (
        <Stack key="providers" gap={6}>
          {use.providers.map((provider, index) => (
            <Group key={provider.id ?? index} gap={8}>
              {provider.id === null ? (
                <span>{wordOf(provider.type)}</span>
              ) : (
                <Link to="/$noun/$id" params={{ noun: 'service-providers', id: provider.id }} className="link">
                  {provider.name}
                </Link>
              )}
              <StatusBadge value={provider.state} />
            </Group>
          ))}
        </Stack>
      ),
    ],
  ];
  return (
    <Panel title="What joining would use">
      <FactList facts={facts} />
      {limits.length > 0 && (
        <Stack gap="sm" pb="sm" pt="md" style={{ borderTop: '1px solid var(--foyer-line)' }}>
          {limits.map(({ feature, limit, used }) => (
            <UsageBar key={feature} feature={feature} limit={limit ?? 0} used={used ?? 0} />
          ))}
        </Stack>
      )}
    </Panel>
  );
}

/** Shows the token's name if the caller may read tokens. */
function TokenUsed({ roomId, tokenId }: { readonly roomId: string; readonly tokenId: string }) {
  const may = useMay();
  const result = useQuery({
    queryKey: ['readRoomToken', roomId, tokenId],
    enabled: may('readRoomToken'),
    queryFn: ({ signal }) => client.readRoomToken({ params: { room_id: roomId, token_id: tokenId }, signal }),
  });
  const token = result.data?.data;
  if (token === undefined) return <>The token that you entered</>;
  return (
    <Link to="/$noun/$id" params={{ noun: 'rooms', id: roomId }} search={{ tab: 'tokens' }} className="link">
      {token.name ?? `Unnamed, ${token.token.slice(0, 10)}…`}
    </Link>
  );
}

const noRecordingTexts: Readonly<Record<string, string>> = {
  recording: 'Not possible: the room does not have recording',
  max_recordings: 'Not possible: the subscription has reached its limit of recordings',
  max_storage: 'Not possible: the storage of the subscription is full',
};

function MeetingUsed({ id, startsMeeting }: { readonly id: string | null; readonly startsMeeting: boolean }) {
  const may = useMay();
  if (id === null) return <>{startsMeeting ? 'A new meeting' : 'No running meeting'}</>;
  return may('readMeeting') ? (
    <Link to="/$noun/$id" params={{ noun: 'meetings', id }} className="link">
      The running meeting
    </Link>
  ) : (
    <>The running meeting</>
  );
}

function titleOf(code: string): string {
  return titles[code] ?? wordOf(code.replaceAll('-', '_'));
}

const titles: Readonly<Record<string, string>> = {
  'room-inactive': 'The room is switched off',
  'customer-not-usable': 'The customer is not active',
  'account-not-usable': 'The account is not active',
  'entry-subscription-not-usable': 'The subscription can’t be used',
  'no-usable-provider': 'No provider takes new meetings',
  'meeting-not-accepted': 'No provider accepts the settings of the room',
  'token-required': 'A token is required',
  'token-unknown': 'The token is not for this room',
  'token-expired': 'The token has expired',
  'token-not-yet-valid': 'The token is not valid yet',
  'token-used-up': 'The token is used up',
  'token-of-another-user': 'The token belongs to another user',
  'guest-access-off': 'Guests can’t join',
  'access-code-required': 'An access code is required',
  'access-code-wrong': 'The access code is wrong',
  'access-code-other-role': 'The access code is for another role',
  'participant-minutes-used-up': 'The participant minutes are used up',
  'limit-is-zero': 'A limit is 0',
  'waiting-for-moderator': 'No moderator has started the meeting',
  'concurrent-meetings-reached': 'Too many meetings at the same time',
  'concurrent-participants-reached': 'Too many participants at the same time',
  'room-full': 'The room is full',
  'provider-unavailable': 'The provider does not respond',
};
