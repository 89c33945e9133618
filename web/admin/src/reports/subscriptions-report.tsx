import { Select, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconReceipt } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NumberField } from '../../../kit/form/fields/number-field.tsx';
import { labelOf } from '../../../kit/format/label.ts';
import { formatMoney } from '../../../kit/format/money.ts';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { BarChart } from '../../../kit/chart/bar-chart.tsx';
import { periodLabel, periodsBetween } from '../../../kit/chart/chart-scale.ts';
import { CsvButton } from './csv-button.tsx';
import { RangeControls, type ReportRange } from './range-controls.tsx';
import { ReferenceFilter } from './reference-filter.tsx';
import type { ReportChange, ReportSearch } from './report-search.ts';

type Row = EndpointAnswer<'readSubscriptionsReport'>['data'][number];

const measures = ['active', 'trialing', 'new', 'canceled', 'expiring', 'monthly_recurring_value'] as const;
type Measure = (typeof measures)[number];

interface Props {
  readonly search: ReportSearch;
  readonly range: ReportRange;
  readonly today: string;
  readonly onChange: (change: ReportChange) => void;
}

export function SubscriptionsReport({ search, range, today, onChange }: Props) {
  const may = useMay();
  const [measure, setMeasure] = useState<Measure>('active');
  const withinDays = search.within ?? 30;
  // What was typed counts while the address has these days: going back in the browser changes the address.
  const [draft, setDraft] = useState<{ days: number; input: number | string | undefined }>({
    days: withinDays,
    input: withinDays,
  });
  const query = {
    ...range,
    expiring_within: withinDays,
    ...(search.customer ? { customer_id: search.customer } : {}),
    ...(search.package ? { package_id: search.package } : {}),
  };
  const result = useQuery({
    queryKey: ['readSubscriptionsReport', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.readSubscriptionsReport({ query, signal }),
  });
  const rows = result.data?.data ?? [];
  const currencies = [...new Set(rows.map((row) => row.currency))].sort();
  const currency = currencies.find((code) => code === search.currency) ?? mainCurrency(rows) ?? currencies[0] ?? null;
  const isMoney = measure === 'monthly_recurring_value';
  const chartRows = isMoney ? rows.filter((row) => row.currency === currency) : rows;
  const lastPeriod = rows.at(-1)?.period;
  const lastRows = rows.filter(({ period }) => period === lastPeriod);
  return (
    <Stack gap="lg">
      <RangeControls range={range} today={today} onChange={onChange}>
        <NumberField
          label="Ending within (days)"
          w={{ base: '100%', xs: 160 }}
          rule={{ minimum: 0, maximum: 366, decimals: 0 }}
          value={draft.days === withinDays ? draft.input : withinDays}
          onChange={(next) => {
            setDraft({ days: typeof next === 'number' ? next : withinDays, input: next });
            if (typeof next === 'number') onChange({ within: next });
          }}
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
        {may('listServicePackages') && (
          <ReferenceFilter
            name="package"
            label="Package"
            prefix="pkg"
            value={search.package}
            onChange={(id) => onChange({ package: id })}
          />
        )}
        <CsvButton report="readSubscriptionsReport" query={query} />
      </RangeControls>
      {result.error ? (
        <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
      ) : !result.data ? (
        <LoadingNotice />
      ) : rows.length === 0 ? (
        <section className="panel">
          <Placeholder title="No subscriptions in this period" icon={<IconReceipt stroke={1.4} />}>
            New, canceled and ending subscriptions appear here.
          </Placeholder>
        </section>
      ) : (
        <>
          <Text fz="sm" c="dimmed">
            {countedText[result.data.meta.counted]}
          </Text>
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
                <Text fz={20} fw={620} lh={1.3} component="div">
                  {name === 'monthly_recurring_value'
                    ? lastRows.map((row) => (
                        <div key={row.currency}>{formatMoney(row.monthly_recurring_value, row.currency)}</div>
                      ))
                    : totalOf(name, rows, lastRows).toLocaleString('en-GB')}
                </Text>
              </button>
            ))}
          </SimpleGrid>
          <Panel
            title={`${labelOf(measure)} by ${range.by}`}
            aside={
              isMoney &&
              currencies.length > 1 && (
                <Select
                  size="xs"
                  w={100}
                  aria-label="Currency"
                  allowDeselect={false}
                  value={currency}
                  data={currencies}
                  onChange={(next) => onChange({ currency: next ?? undefined })}
                />
              )
            }
          >
            <BarChart
              title={labelOf(measure)}
              bars={barsOf(chartRows, measure, range)}
              print={(value) =>
                isMoney && currency !== null ? formatMoney(value, currency) : value.toLocaleString('en-GB')
              }
            />
          </Panel>
          <ReportTable rows={rows} />
        </>
      )}
    </Stack>
  );
}

const countedText = {
  'sold-by-platform': 'Your own sales. Sales by resellers are not counted.',
  'own-business': 'Sales of resellers to their direct customers, and payments of customers that are not resellers.',
  'paid-by-customer': 'What this customer pays, to the platform or to a reseller.',
} as const;

function ReportTable({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Panel flush title="Table">
      <div className="scroll-x" role="region" aria-label="Table" tabIndex={0}>
        <Table className="list" data-static data-report>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Period</Table.Th>
              <Table.Th>Currency</Table.Th>
              {measures.map((name) => (
                <Table.Th key={name} data-numeric>
                  {labelOf(name)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.toReversed().map((row) => (
              <Table.Tr key={`${row.period} ${row.currency}`}>
                <Table.Td>{periodLabel(row.period, true)}</Table.Td>
                <Table.Td data-label="Currency">{row.currency}</Table.Td>
                {measures.map((name) => (
                  <Table.Td key={name} data-numeric data-label={labelOf(name)}>
                    {name === 'monthly_recurring_value'
                      ? formatMoney(row[name], row.currency)
                      : row[name].toLocaleString('en-GB')}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Panel>
  );
}

/** New and canceled subscriptions are summed; the other measures use the last period. */
function totalOf(measure: Measure, rows: readonly Row[], lastRows: readonly Row[]): number {
  const counted = measure === 'new' || measure === 'canceled' ? rows : lastRows;
  return counted.reduce((sum, row) => sum + row[measure], 0);
}

function barsOf(rows: readonly Row[], measure: Measure, { from, to, by }: ReportRange) {
  const values = new Map<string, number>();
  for (const row of rows) values.set(row.period, (values.get(row.period) ?? 0) + row[measure]);
  return periodsBetween(from, to, by).map((period) => ({ period, value: values.get(period) ?? 0 }));
}

/** The currency with the most active subscriptions. */
function mainCurrency(rows: readonly Row[]): string | null {
  return rows.toSorted((left, right) => right.active - left.active)[0]?.currency ?? null;
}
