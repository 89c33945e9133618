import { Badge, Group, Text } from '@mantine/core';
import { Absent } from '../../../kit/display/field-value.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { lengthOf, minutesBetween } from '../../../kit/format/lengths.ts';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { text, textOrNull } from '../../../kit/noun/noun.ts';
import type { MeetingRow } from '../nouns/rows.ts';

/** The state as text, so that it does not depend on color. */
export function MeetingState({ state }: { readonly state: string }) {
  if (state !== 'open') return <StatusBadge value={state} />;
  return (
    <Badge
      variant="light"
      color="pine"
      tt="none"
      fw={560}
      size="md"
      leftSection={<span className="pulse" style={{ width: 6, height: 6 }} />}
    >
      Running
    </Badge>
  );
}

export function MeetingStateCell({ row }: { readonly row: MeetingRow }) {
  return <MeetingState state={text(row, 'state')} />;
}

/** Start and duration. */
export function MeetingTimeCell({ row }: { readonly row: MeetingRow }) {
  const nowMs = useNow();
  const startedAt = textOrNull(row, 'started_at');
  if (startedAt === null) return <Absent />;
  return (
    <Group gap={6} component="span" display="inline-flex" wrap="nowrap">
      <RelativeTime instant={startedAt} />
      <Text component="span" inherit c="dimmed">
        · {lengthOf(minutesBetween(startedAt, textOrNull(row, 'ended_at'), nowMs))}
      </Text>
    </Group>
  );
}

/** The current number of participants; absent after the end. */
export function ParticipantCountCell({ row }: { readonly row: MeetingRow }) {
  return row.state === 'ended' ? <Absent /> : <span>{row.participant_count.toLocaleString('en-GB')}</span>;
}

/** The end reason; absent for running meetings. */
export function EndReasonCell({ row }: { readonly row: MeetingRow }) {
  const reason = textOrNull(row, 'end_reason');
  if (reason === null) return <Absent />;
  return (
    <Text component="span" inherit display="inline-block" maw={320} style={{ whiteSpace: 'normal' }}>
      {endReasonText(reason)}
    </Text>
  );
}

/** The sentence for the code of an end reason. */
export function endReasonText(reason: string): string {
  return reasons[reason] ?? `${reason.charAt(0).toUpperCase()}${reason.slice(1).replaceAll('-', ' ')}`;
}

const reasons: Readonly<Record<string, string>> = {
  ended: 'Ended on the provider: by a moderator, because it was empty, or at the end of its duration',
  'ended-by-request': 'Ended from the console or through the API',
  'participant-minutes-used-up': 'The participant minutes of the subscription were used up',
  'room-deleted': 'The room was deleted',
  'provider-lost': 'The meeting server was down, or did not report the meeting, for ten minutes',
  'subscription-suspended': 'The subscription was suspended',
  'subscription-canceled': 'The subscription was canceled with immediate effect',
  'subscription-inactive': 'The subscription had expired',
  'subscription-terminated': 'The subscription was terminated',
  'account-inactive': 'The account was switched off',
  'room-inactive': 'The room was switched off',
  'customer-inactive': 'The customer was switched off',
  'customer-terminated': 'The customer was terminated',
};
