import { Group } from '@mantine/core';
import type { ComponentType } from 'react';
import { ActorCell, SubjectCell } from '../audit/entry-cells.tsx';
import { CustomerStandingInList } from '../customers/customer-badges.tsx';
import { CustomerBadge } from '../customers/customer-standing.tsx';
import { PackageBadges, StockLeft } from '../packages/package-glance.tsx';
import type { Column } from '../../../kit/list/columns.ts';
import { FieldValue } from '../../../kit/display/field-value.tsx';
import { EndReasonCell, InNowCell, MeetingStateCell, MeetingTimeCell } from '../meetings/meeting-cells.tsx';
import { ProviderStandingCell, TagsCell } from '../providers/provider-standing.tsx';
import { ExpiryCell, RecordedCell, RecordingStateCell, SizeCell } from '../recordings/recording-cells.tsx';
import { endOf } from '../subscriptions/subscription-phase.ts';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { Day } from '../../../kit/display/times.tsx';
import { type Noun, type Row, text } from '../../../kit/noun/noun.ts';

/** A member of a row in a list, where one member alone does not say it. */
export function Cell({ noun, column, row }: { readonly noun: Noun; readonly column: Column; readonly row: Row }) {
  const Special = cells[noun.path]?.[column.name];
  return Special ? <Special row={row} /> : <FieldValue column={column} row={row} />;
}

/** The status of what belongs to a customer, with what the customer's own makes of it. */
function StatusWithin({ row }: { readonly row: Row }) {
  return (
    <Group gap={6} className="badges" component="span" display="inline-flex">
      <StatusBadge value={text(row, 'status')} />
      <CustomerBadge row={row} />
    </Group>
  );
}

/** The day on which it really ends, unless renewed. */
function EndsCell({ row }: { readonly row: Row }) {
  return <Day day={endOf(row)} />;
}

const cells: Readonly<Record<string, Readonly<Record<string, ComponentType<{ row: Row }>>>>> = {
  customers: { status: CustomerStandingInList },
  subscriptions: { status: StatusWithin, ends_at: EndsCell },
  accounts: { status: StatusWithin },
  rooms: { status: StatusWithin },
  'service-packages': { status: PackageBadges, stock_qty: StockLeft },
  'audit-log': { actor_name: ActorCell, resource_id: SubjectCell },
  'service-providers': { active: ProviderStandingCell, tags: TagsCell },
  meetings: {
    state: MeetingStateCell,
    started_at: MeetingTimeCell,
    participant_count: InNowCell,
    end_reason: EndReasonCell,
  },
  recordings: { state: RecordingStateCell, started_at: RecordedCell, size_bytes: SizeCell, expires_at: ExpiryCell },
};
