import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type ReportChange, presetRanges } from './report-search.ts';

export interface ReportRange {
  readonly from: string;
  readonly to: string;
  readonly by: 'day' | 'month';
}

interface Props {
  readonly range: ReportRange;
  readonly today: string;
  readonly onChange: (change: ReportChange) => void;
  readonly children: ReactNode;
}

/** Controls for the period and the interval, followed by those of the report. */
export function RangeControls({ range, today, onChange, children }: Props) {
  const ranges = presetRanges(today);
  const chosen = ranges.find(({ from, to, by }) => from === range.from && to === range.to && by === range.by);
  return (
    <section className="panel report-controls" aria-label="What to report">
      <Group gap="sm" align="flex-end">
        <Select
          label="Time"
          w={{ base: '100%', xs: 160 }}
          allowDeselect={false}
          value={chosen?.key ?? 'other'}
          data={[
            ...ranges.map(({ key, label }) => ({ value: key, label })),
            ...(chosen ? [] : [{ value: 'other', label: 'Other' }]),
          ]}
          onChange={(key) => {
            const next = ranges.find((usual) => usual.key === key);
            if (next) onChange({ from: next.from, to: next.to, by: next.by });
          }}
        />
        <TextInput
          label="From"
          type="date"
          className="report-day"
          max={range.to}
          value={range.from}
          onChange={(event) => event.currentTarget.value && onChange({ from: event.currentTarget.value })}
        />
        <TextInput
          label="Until"
          type="date"
          className="report-day"
          max={today}
          value={range.to}
          onChange={(event) => event.currentTarget.value && onChange({ to: event.currentTarget.value })}
        />
        <SegmentedControl
          aria-label="Interval"
          value={range.by}
          data={[
            { value: 'day', label: 'By day' },
            { value: 'month', label: 'By month' },
          ]}
          onChange={(by) => onChange({ by })}
        />
        {children}
      </Group>
    </section>
  );
}
