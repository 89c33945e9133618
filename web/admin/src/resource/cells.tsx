import type { ComponentType } from 'react';
import { Group } from '@mantine/core';
import { ActorCell, SubjectCell } from '../audit/entry-cells.tsx';
import { SentenceCell } from '../events/sentence.tsx';
import { CustomerStatusInList } from '../customers/customer-badges.tsx';
import { CustomerBadge } from '../customers/customer-status.tsx';
import { PackageBadges, StockLeft } from '../packages/package-glance.tsx';
import type { Cells } from '../../../kit/list/cell.tsx';
import { EndReasonCell, ParticipantCountCell, MeetingStateCell, MeetingTimeCell } from '../meetings/meeting-cells.tsx';
import { ProviderStateCell, TagsCell } from '../providers/provider-state.tsx';
import { ExpiryCell, RecordedCell, RecordingStateCell, SizeCell } from '../recordings/recording-cells.tsx';
import { MailStateCell } from '../mails/mail-cells.tsx';
import { EventsCell, WebhookStateCell } from '../webhooks/webhook-cells.tsx';
import { endOf } from '../subscriptions/subscription-phase.ts';
import { VideoStateCell } from '../videos/video-state.tsx';
import { LengthCell, ResolutionCell, VideoSizeCell } from '../videos/video-cells.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { Day } from '../../../kit/display/times.tsx';
import { type AnyNoun, type Row, text } from '../../../kit/noun/noun.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';

/** Custom cells of a noun's list, by column. */
export function cellsOf(noun: AnyNoun): Cells | undefined {
  return cells[noun.path] as Cells | undefined;
}

/** The status of a resource, and the status of its customer if that is not active. */
function StatusWithCustomer({ row }: { readonly row: Row }) {
  return (
    <Group gap={6} className="badges" component="span" display="inline-flex">
      <StatusBadge value={text(row, 'status')} />
      <CustomerBadge row={row} />
    </Group>
  );
}

/** The day on which the subscription ends unless it is renewed. */
function EndsCell({ row }: { readonly row: SubscriptionRow }) {
  return <Day day={endOf(row)} />;
}

/** The row type is `never`, because each component takes the row of its own noun. */
interface NounCells {
  readonly [path: string]: { readonly [column: string]: ComponentType<{ readonly row: never }> };
}

const cells: NounCells = {
  customers: { status: CustomerStatusInList },
  subscriptions: { status: StatusWithCustomer, ends_at: EndsCell },
  accounts: { status: StatusWithCustomer },
  rooms: { status: StatusWithCustomer },
  'service-packages': { status: PackageBadges, stock_qty: StockLeft },
  events: { resource_id: SentenceCell },
  'audit-log': { actor_name: ActorCell, resource_id: SubjectCell },
  'service-providers': { active: ProviderStateCell, tags: TagsCell },
  meetings: {
    state: MeetingStateCell,
    started_at: MeetingTimeCell,
    participant_count: ParticipantCountCell,
    end_reason: EndReasonCell,
  },
  webhooks: { state: WebhookStateCell, events: EventsCell },
  mails: { state: MailStateCell },
  videos: { state: VideoStateCell, duration_seconds: LengthCell, height: ResolutionCell, size_bytes: VideoSizeCell },
  recordings: { state: RecordingStateCell, started_at: RecordedCell, size_bytes: SizeCell, expires_at: ExpiryCell },
};
