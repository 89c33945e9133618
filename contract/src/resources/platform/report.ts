import { type Static, type TSchema, Type } from 'typebox';
import { bare, endpoint, holders, members } from '../../conventions/endpoint.ts';
import {
  day,
  identifier,
  instant,
  integer,
  listOf,
  money,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';

export const reportPeriods = ['day', 'month'] as const;
export const reportFormats = ['json', 'csv'] as const;
/** The groupings of a usage report; `feature` can be combined with one of the others. */
export const usageGroups = ['customer', 'subscription', 'account', 'room', 'feature'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** The features in usage reports, with their unit. */
export const reportedFeatures = {
  participant_minutes: 'minutes',
  max_concurrent_participants: 'participants',
  max_concurrent_meetings: 'meetings',
  max_accounts: 'accounts',
  max_rooms: 'rooms',
  max_recordings: 'recordings',
  max_storage: 'bytes',
} as const;
export type ReportedFeature = keyof typeof reportedFeatures;

function withDescription<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const count = (description: string) => withDescription(integer(0, Number.MAX_SAFE_INTEGER), description);

const period = {
  period: text(10, { description: 'The day as `2026-03-14`, or the month as `2026-03`.' }),
  starts_at: withDescription(instant(), 'The start of the period in the time zone of the report.'),
  ends_at: withDescription(instant(), 'The end of the period, which is the start of the next one.'),
};

export const usageRow = object({
  ...period,
  customer_id: nullable(identifier('cust')),
  customer_name: nullable(text(301)),
  subscription_id: nullable(identifier('sub')),
  subscription_name: nullable(text(150)),
  account_id: nullable(identifier('acct')),
  account_name: nullable(text()),
  room_id: nullable(identifier('room')),
  room_name: nullable(text()),
  participant_minutes: nullable(count('Minutes that participants began in the period.')),
  meetings: nullable(count('Meetings that started in the period.')),
  peak_participants: nullable(count('The most participants at the same time.')),
  peak_meetings: nullable(count('The most meetings at the same time.')),
  recordings: nullable(count('Recordings that were created in the period.')),
  storage_bytes: nullable(count('Storage that recordings use at the end of the period.')),
  feature: nullable(oneOf(Object.keys(reportedFeatures) as ReportedFeature[])),
  unit: nullable(text(20)),
  used: nullable(
    count(
      'How much of the feature was used. For concurrent limits the peak, for stored things the amount at the end of the period.',
    ),
  ),
});
export type UsageRow = Static<typeof usageRow>;

export const subscriptionsRow = object({
  ...period,
  currency: text(3, { format: 'currency' }),
  active: count('Subscriptions that can be used at the end of the period, or now if the period is not over.'),
  trialing: count('Active subscriptions that are on trial.'),
  new: count('Created in the period.'),
  canceled: count('Canceled in the period, even if that was undone later.'),
  expiring: count(
    'Active subscriptions that end within `expiring_within` days unless they are renewed: at their cancellation, otherwise at the end of the period or trial, whichever is later. The grace period is not counted. Subscriptions that renew automatically are left out.',
  ),
  monthly_recurring_value: withDescription(
    money(),
    'Monthly value of the active subscriptions in this currency, without those on trial and canceled ones.',
  ),
});
export type SubscriptionsRow = Static<typeof subscriptionsRow>;

const reportMeta = {
  from: withDescription(day(), 'The first day.'),
  to: withDescription(day(), 'The last day.'),
  timezone: text(64),
  by: oneOf(reportPeriods),
  generated_at: instant(),
};

const range = {
  from: optional(withDescription(day(), 'The first day; by default the first of the month of `to`.')),
  to: optional(withDescription(day(), 'The last day, included; today by default. Future days are left out.')),
  by: optional(
    withDescription(oneOf(reportPeriods), 'The period of a row; `day` by default. At most 1,100 days or 240 months.'),
  ),
  timezone: optional(
    text(64, {
      format: 'time-zone',
      description: 'The time zone in which days begin; by default the setting `system_timezone`.',
    }),
  ),
  format: optional(
    withDescription(oneOf(reportFormats), 'Instead of the header `Accept` (`application/json`, `text/csv`).'),
  ),
  orderBy: optional(text(500, { description: 'Members of the rows, separated by `,` or `;`; `period` by default.' })),
  sortedBy: optional(
    text(200, {
      description: '`asc` or `desc` for each member, in the same order. A missing direction is the same as the first.',
    }),
  ),
};

const tag = 'Reports';
const formatNote =
  'All rows are streamed, without pages. CSV (`Accept: text/csv` or `format=csv`) begins with a header line; a cell that a spreadsheet would read as a formula begins with an apostrophe.';

export const reportedSales = ['sold-by-platform', 'own-business', 'paid-by-customer'] as const;
const countingDescription =
  '`sold-by-platform`: what the platform itself sold, without the sales of resellers. `own-business`: what the customers of the caller sold to customers directly below them, and what customers that are not resellers pay. `paid-by-customer`: what the customer in the request pays, to the platform or a reseller.';

export const reportEndpoints = {
  readUsageReport: endpoint({
    method: 'GET',
    path: '/reports/usage',
    tag,
    summary: 'Report usage by day or month',
    description: `Usage counts in the period in which it occurs. A meeting over midnight is divided minute by minute, so that the periods add up to the total that was charged. Running meetings count up to now. Usage of deleted rooms stays in the report. Periods without usage have no row. With \`group_by=feature\` there is a row per feature with \`used\`; otherwise a row has the members from \`participant_minutes\` to \`storage_bytes\`. Users see the rooms that they may read. ${formatNote}`,
    access: holders('read-meetings', members('read-room')),
    csv: true,
    query: object({
      ...range,
      group_by: optional(
        text(50, {
          description: `One of ${usageGroups.map((group) => `\`${group}\``).join(', ')}; \`feature\` can be combined with another one, as in \`customer,feature\`. By default, each period has one row with the total.`,
        }),
      ),
      customer_id: optional(identifier('cust', 'Only the usage of this customer.')),
      subscription_id: optional(identifier('sub', 'Only the usage of this subscription.')),
      account_id: optional(identifier('acct', 'Only the usage of this account.')),
      room_id: optional(identifier('room', 'Only the usage of this room.')),
    }),
    answer: bare(
      object({ data: listOf(usageRow), meta: object({ ...reportMeta, group_by: listOf(oneOf(usageGroups)) }) }),
    ),
    errors: ['validation-failed', 'unknown-query-field', 'report-timeout', 'busy'],
  }),
  readSubscriptionsReport: endpoint({
    method: 'GET',
    path: '/reports/subscriptions',
    tag,
    summary: 'Report active, new, canceled and expiring subscriptions and their value, by day or month',
    description: `A row per period and currency, with the figures as they were at the end of the period, even if prices, dates or states have changed since. Terms in days, weeks or years are converted to a month of 30.436875 days, a twelfth of a year. Each price counts once, for its seller: administrators see what the platform itself sold, users of a reseller what it sold to the customers directly below it, and users of other customers what these customers pay. With \`customer_id\` the report shows what that customer pays, to the platform or a reseller. Users see the subscriptions that they may read. ${formatNote}`,
    access: holders('read-subscriptions', members('read-subscriptions')),
    csv: true,
    query: object({
      ...range,
      expiring_within: optional(
        Type.Integer({
          minimum: 0,
          maximum: 366,
          default: 30,
          description: 'Days after the end of the period; 30 by default.',
        }),
      ),
      customer_id: optional(
        identifier('cust', 'Only what this customer pays, for subscriptions bought from the platform or a reseller.'),
      ),
      package_id: optional(identifier('pkg', 'Only the subscriptions to this package.')),
      currency: optional(text(3, { format: 'currency', description: 'Only in this currency.' })),
    }),
    answer: bare(
      object({
        data: listOf(subscriptionsRow),
        meta: object({
          ...reportMeta,
          expiring_within: integer(0, 366),
          counted: oneOf(reportedSales, countingDescription),
        }),
      }),
    ),
    errors: ['validation-failed', 'unknown-query-field', 'report-timeout', 'busy'],
  }),
};
