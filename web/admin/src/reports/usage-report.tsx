import { counted } from '../../../kit/format/counted.ts';
import { Button, Group, Select, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import type { UsageGroup } from '@foyer/contract/resources/platform/report.ts';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Absent } from '../../../kit/display/field-value.tsx';
import { featureName, unitOf } from '../../../kit/format/feature-values.ts';
import { labelOf, listOf, lowered, wordOf } from '../../../kit/format/label.ts';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { BarChart } from '../../../kit/chart/bar-chart.tsx';
import { periodLabel, periodsBetween } from '../../../kit/chart/chart-scale.ts';
import { CsvButton } from './csv-button.tsx';
import { RangeControls, type ReportRange } from './range-controls.tsx';
import { ReferenceFilter } from './reference-filter.tsx';
import { type GroupChoice, groupChoices, type ReportChange, type ReportSearch } from './report-search.ts';

type Row = EndpointAnswer<'readUsageReport'>['data'][number];

const measures = [
  'participant_minutes',
  'meetings',
  'peak_participants',
  'peak_meetings',
  'recordings',
  'storage_bytes',
] as const;
type Measure = (typeof measures)[number];

/** Measures that are summed. Of the others, storage uses the last value, and peaks use the maximum. */
const summedMeasures: readonly Measure[] = ['participant_minutes', 'meetings', 'recordings'];
const maxRows = 200;

interface Props {
  readonly search: ReportSearch;
  readonly range: ReportRange;
  readonly today: string;
  readonly onChange: (change: ReportChange) => void;
}

export function UsageReport({ search, range, today, onChange }: Props) {
  const may = useMay();
  const [measure, setMeasure] = useState<Measure>('participant_minutes');
  const filters = {
    ...range,
    ...(search.customer ? { customer_id: search.customer } : {}),
    ...(search.subscription ? { subscription_id: search.subscription } : {}),
  };
  const group = search.group ?? null;
  const query = { ...filters, ...(group ? { group_by: group } : {}) };
  const total = useQuery({
    queryKey: ['readUsageReport', filters],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.readUsageReport({ query: filters, signal }),
  });
  const grouped = useQuery({
    queryKey: ['readUsageReport', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.readUsageReport({ query, signal }),
  });
  const failure = total.error ?? grouped.error;
  return (
    <Stack gap="lg">
      <RangeControls range={range} today={today} onChange={onChange}>
        <Select
          label="Group by"
          w={{ base: '100%', xs: 230 }}
          clearable
          placeholder="No grouping"
          value={group}
          data={groupChoices.map((name) => ({ value: name, label: groupLabel(name) }))}
          onChange={(next) => onChange({ group: next ?? undefined })}
        />
        {may('listCustomers') && (
          <ReferenceFilter
            name="customer"
            label="Customer"
            prefix="cust"
            value={search.customer}
            onChange={(id) => onChange({ customer: id })}
          />
        )}
        {may('listSubscriptions') && (
          <ReferenceFilter
            name="subscription"
            label="Subscription"
            prefix="sub"
            value={search.subscription}
            onChange={(id) => onChange({ subscription: id })}
          />
        )}
        <CsvButton report="readUsageReport" query={query} />
      </RangeControls>
      {failure ? (
        <FailureNotice error={failure} onRetry={() => void Promise.all([total.refetch(), grouped.refetch()])} />
      ) : !total.data || !grouped.data ? (
        <LoadingNotice />
      ) : total.data.data.length === 0 ? (
        <section className="panel">
          <Placeholder title="No usage in this period" icon={<IconChartBar stroke={1.4} />}>
            Meetings, minutes and recordings appear here.
          </Placeholder>
        </section>
      ) : (
        <>
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" className="figures">
            {measures.map((name) => (
              <button
                key={name}
                type="button"
                className="panel figure-button"
                aria-pressed={measure === name}
                onClick={() => setMeasure(name)}
              >
                <Text fz="xs" fw={560} c="dimmed">
                  {labelOf(name)}
                </Text>
                <Text fz={20} fw={620} lh={1.3}>
                  {formatMeasure(name, totalOf(name, total.data.data))}
                </Text>
              </button>
            ))}
          </SimpleGrid>
          <Panel title={`${labelOf(measure)} by ${range.by}`}>
            <BarChart
              title={labelOf(measure)}
              bars={barsOf(total.data.data, measure, range)}
              print={(value) => formatMeasure(measure, value)}
            />
          </Panel>
          <UsageTable rows={grouped.data.data} group={group} />
        </>
      )}
    </Stack>
  );
}

function UsageTable({ rows, group }: { readonly rows: readonly Row[]; readonly group: GroupChoice | null }) {
  const groupNames = (group?.split(',') ?? []) as UsageGroup[];
  const isByFeature = groupNames.includes('feature');
  const [showsAll, setShowsAll] = useState(false);
  const visibleRows = showsAll ? rows : rows.slice(0, maxRows);
  return (
    <Panel
      flush
      title="Table"
      aside={
        <Text fz="sm" c="dimmed">
          {counted(rows.length, 'row')}
        </Text>
      }
    >
      <div className="scroll-x" role="region" aria-label="Table" tabIndex={0}>
        <Table className="list" data-static data-report>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Period</Table.Th>
              {groupNames.map((name) => (
                <Table.Th key={name}>{wordOf(name)}</Table.Th>
              ))}
              {isByFeature ? (
                <Table.Th data-numeric>Used</Table.Th>
              ) : (
                measures.map((name) => (
                  <Table.Th key={name} data-numeric>
                    {labelOf(name)}
                  </Table.Th>
                ))
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {visibleRows.map((row) => (
              <Table.Tr
                key={[
                  row.period,
                  row.customer_id,
                  row.subscription_id,
                  row.account_id,
                  row.room_id,
                  row.feature,
                ].join()}
              >
                <Table.Td>{periodLabel(row.period, true)}</Table.Td>
                {groupNames.map((name) => (
                  <Table.Td key={name} data-label={wordOf(name)}>
                    <GroupName row={row} group={name} />
                  </Table.Td>
                ))}
                {isByFeature ? (
                  <Table.Td data-numeric data-label="Used">
                    {row.unit === 'bytes'
                      ? formatMeasure('storage_bytes', row.used ?? 0)
                      : `${(row.used ?? 0).toLocaleString('en-GB')} ${unitOf(row.unit ?? '', row.used ?? 0)}`}
                  </Table.Td>
                ) : (
                  measures.map((name) => (
                    <Table.Td key={name} data-numeric data-label={labelOf(name)}>
                      {row[name] === null ? <Absent /> : formatMeasure(name, row[name])}
                    </Table.Td>
                  ))
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {rows.length > visibleRows.length && (
        <Group justify="center" py="sm">
          <Button variant="subtle" size="xs" onClick={() => setShowsAll(true)}>
            Show all {rows.length.toLocaleString('en-GB')} rows
          </Button>
        </Group>
      )}
    </Panel>
  );
}

/** Such as "Customer and feature". */
function groupLabel(group: GroupChoice): string {
  const [first = '', ...rest] = group.split(',');
  return listOf([wordOf(first), ...rest.map((part) => lowered(wordOf(part)))], 'and');
}

const paths = { customer: 'customers', subscription: 'subscriptions', account: 'accounts', room: 'rooms' } as const;

function GroupName({ row, group }: { readonly row: Row; readonly group: UsageGroup }) {
  if (group === 'feature') return <>{featureName(row.feature ?? '')}</>;
  const [id, name] = [row[`${group}_id`], row[`${group}_name`]];
  if (id === null) return <Absent />;
  return (
    <Link to="/$noun/$id" params={{ noun: paths[group], id }} className="quiet-link">
      {name ?? id}
    </Link>
  );
}

function barsOf(rows: readonly Row[], measure: Measure, { from, to, by }: ReportRange) {
  const values = new Map(rows.map((row) => [row.period, row[measure] ?? 0]));
  return periodsBetween(from, to, by).map((period) => ({ period, value: values.get(period) ?? 0 }));
}

function totalOf(measure: Measure, rows: readonly Row[]): number {
  const values = rows.map((row) => row[measure] ?? 0);
  if (measure === 'storage_bytes') return values.at(-1) ?? 0;
  return summedMeasures.includes(measure) ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
}

function formatMeasure(measure: Measure, value: number): string {
  return measure === 'storage_bytes' ? formatBytes(value) : value.toLocaleString('en-GB');
}

function formatBytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const amount = value / 1000 ** step;
  return `${amount.toLocaleString('en-GB', { maximumFractionDigits: amount < 10 && step > 0 ? 1 : 0 })} ${units[step]}`;
}
