import type { UsageGroup } from '@foyer/contract/resources/platform/report.ts';
import { reportPeriods, usageGroups } from './report-choices.table.ts';

/** Report parameters in the URL, without defaults. */
export interface ReportSearch {
  readonly report?: 'subscriptions';
  readonly from?: string;
  readonly to?: string;
  readonly by?: (typeof reportPeriods)[number];
  readonly group?: GroupChoice;
  readonly customer?: string;
  readonly subscription?: string;
  readonly package?: string;
  readonly currency?: string;
  readonly within?: number;
}

/** The grouping of a usage report: one kind of resource, or one kind and its features. */
export type GroupChoice = UsageGroup | `${UsageGroup},feature`;

export const groupChoices: readonly GroupChoice[] = [
  ...usageGroups,
  ...usageGroups.filter((name) => name !== 'feature').map((name) => `${name},feature` as const),
];

/** Undefined parameters are reset to their defaults. */
export type ReportChange = { readonly [Name in keyof ReportSearch]?: ReportSearch[Name] | undefined };

export function readReportSearch(search: Record<string, unknown>): ReportSearch {
  const { report, from, to, by, group, customer, subscription, within } = search;
  const isDay = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
  const period = reportPeriods.find((name) => name === by);
  const groupName = groupChoices.find((name) => name === group);
  const days = Number(within);
  return {
    ...(report === 'subscriptions' ? { report } : {}),
    ...(isDay(from) ? { from: String(from) } : {}),
    ...(isDay(to) ? { to: String(to) } : {}),
    ...(period === undefined ? {} : { by: period }),
    ...(groupName === undefined ? {} : { group: groupName }),
    ...(isId('cust', customer) ? { customer: String(customer) } : {}),
    ...(isId('sub', subscription) ? { subscription: String(subscription) } : {}),
    ...(isId('pkg', search['package']) ? { package: String(search['package']) } : {}),
    ...(/^[A-Z]{3}$/.test(String(search['currency'])) ? { currency: String(search['currency']) } : {}),
    ...(within !== undefined && Number.isInteger(days) && days >= 0 && days <= 366 ? { within: days } : {}),
  };
}

function isId(prefix: string, value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(`${prefix}_`);
}

export interface Range {
  readonly key: string;
  readonly label: string;
  readonly from: string;
  readonly to: string;
  readonly by: 'day' | 'month';
}

/** Preset ranges that end on `today` or with the last month. Days are `YYYY-MM-DD`. */
export function presetRanges(today: string): Range[] {
  const [year = 0, month = 1] = today.split('-').map(Number);
  const firstOfMonth = (monthsBack: number) => isoDay(Date.UTC(year, month - 1 - monthsBack, 1));
  const lastMonthEnd = isoDay(Date.UTC(year, month - 1, 0));
  return [
    { key: '30', label: 'Last 30 days', from: isoDay(Date.parse(today) - 29 * 86_400_000), to: today, by: 'day' },
    { key: 'month', label: 'This month', from: firstOfMonth(0), to: today, by: 'day' },
    { key: 'last', label: 'Last month', from: firstOfMonth(1), to: lastMonthEnd, by: 'day' },
    { key: '12', label: 'Last 12 months', from: firstOfMonth(11), to: today, by: 'month' },
  ];
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
