import { countedOrNo } from '../../../kit/format/counted.ts';
import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { durationText } from '../../../kit/format/durations.ts';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useTotal } from '../resource/use-total.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { CustomerRow } from '../nouns/rows.ts';

const maxNamed = 5;

/** The resources that a status change affects: running meetings by name, and counts of others. */
export function AffectedResources({
  customer,
  newStatus,
}: {
  readonly customer: CustomerRow;
  readonly newStatus: string;
}) {
  const subscriptions = useTotal(nouns.subscriptions, `subscriber_id:${customer.id}`);
  const accounts = useTotal(nouns.accounts, `subscriber_id:${customer.id}`);
  const rooms = useTotal(nouns.rooms, `customer_id:${customer.id}`);
  const counts = [
    ...(subscriptions === null ? [] : [countedOrNo(subscriptions, 'subscription')]),
    ...(accounts === null ? [] : [countedOrNo(accounts, 'account')]),
    ...(rooms === null ? [] : [countedOrNo(rooms, 'room')]),
  ];
  return (
    <>
      {counts.length > 0 && (
        <Text fz="sm" fw={560}>
          {newStatus === 'terminated' ? 'Will end:' : 'Affected:'} {counts.join(', ')}.
        </Text>
      )}
      <RunningMeetings customerId={customer.id} isEnding={newStatus !== 'suspended'} />
    </>
  );
}

function RunningMeetings({ customerId, isEnding }: { readonly customerId: string; readonly isEnding: boolean }) {
  const may = useMay();
  const running = useQuery({
    queryKey: ['listMeetings', 'running', customerId],
    enabled: may('listMeetings'),
    staleTime: 0,
    queryFn: ({ signal }) =>
      client.listMeetings({
        query: { search: `state:open;customer_id:${customerId}`, searchJoin: 'and', limit: maxNamed, include: 'room' },
        signal,
      }),
  });
  const settings = useQuery({
    queryKey: ['readSettings'],
    enabled: isEnding && may('readSettings'),
    queryFn: ({ signal }) => client.readSettings({ signal }),
  });
  if (!running.data) return null;
  const total = running.data.meta.pagination?.total ?? running.data.data.length;
  if (total === 0) {
    return (
      <Text fz="sm" fw={560}>
        No meetings are running.
      </Text>
    );
  }
  const graceMinutes = settings.data?.data.suspension_meeting_grace_minutes;
  const wait =
    graceMinutes === undefined
      ? 'after the grace period'
      : graceMinutes === 0
        ? 'now'
        : `in ${durationText(graceMinutes, 'minute')}`;
  return (
    <div>
      <Text fz="sm" fw={560} c="red">
        {total === 1 ? '1 meeting is running' : `${total.toLocaleString('en-GB')} meetings are running`}
        {isEnding ? ` and ${total === 1 ? 'ends' : 'end'} ${wait}:` : ', and can go on:'}
      </Text>
      <List size="sm" mt={4} spacing={2}>
        {running.data.data.map((meeting) => (
          <List.Item key={meeting.id}>
            <Link to="/$noun/$id" params={{ noun: 'meetings', id: meeting.id }} className="link" target="_blank">
              {nouns.meetings.titleOf(meeting)}
            </Link>
            , {countedOrNo(meeting.participant_count, 'participant')}
          </List.Item>
        ))}
        {total > maxNamed && <List.Item>and {(total - maxNamed).toLocaleString('en-GB')} more</List.Item>}
      </List>
    </div>
  );
}
