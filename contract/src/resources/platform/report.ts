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
/** What a usage report can be broken down to; `feature` may stand beside one of the others. */
export const usageGroups = ['customer', 'subscription', 'account', 'room', 'feature'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** The features whose use is reported, with their unit. */
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

function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const count = (description: string) => described(integer(0, Number.MAX_SAFE_INTEGER), description);

const period = {
  period: text(10, { description: 'The day as `2026-03-14`, or the month as `2026-03`.' }),
  starts_at: described(instant(), 'The first moment of the period in the time zone of the report.'),
  ends_at: described(instant(), 'The first moment after it.'),
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
  peak_participants: nullable(count('Most participants at one moment.')),
  peak_meetings: nullable(count('Most meetings at one moment.')),
  recordings: nullable(count('Recordings that were made in the period.')),
  storage_bytes: nullable(count('What the recordings take that are kept at the end of the period.')),
  feature: nullable(oneOf(Object.keys(reportedFeatures) as ReportedFeature[])),
  unit: nullable(text(20)),
  used: nullable(
    count('How much of the feature was used; what is counted at once or kept: the most, or what there is at the end.'),
  ),
});
export type UsageRow = Static<typeof usageRow>;

export const subscriptionsRow = object({
  ...period,
  currency: text(3, { format: 'currency' }),
  active: count('Usable at the end of the period, or now while it runs.'),
  trialing: count('Of them, on trial.'),
  new: count('Made in the period.'),
  canceled: count('Canceled in the period, also where that was undone later.'),
  expiring: count(
    'Of the active ones, those that end within `expiring_within` days, unless renewed: with their cancellation, else with the period or the trial, whichever is later; grace is not counted. Those that renew themselves are not among them.',
  ),
  monthly_recurring_value: described(
    money(),
    'What the active ones bring in a month, in the currency: neither those on trial nor canceled ones.',
  ),
});
export type SubscriptionsRow = Static<typeof subscriptionsRow>;

const reportMeta = {
  from: described(day(), 'The first day.'),
  to: described(day(), 'The last day.'),
  timezone: text(64),
  by: oneOf(reportPeriods),
  generated_at: instant(),
};

const range = {
  from: optional(described(day(), 'The first day; unless given, the first of the month of `to`.')),
  to: optional(described(day(), 'The last day, included; unless given, today. Days to come are left out.')),
  by: optional(
    described(oneOf(reportPeriods), 'How the rows are cut; `day` unless given. At most 1,100 days or 240 months.'),
  ),
  timezone: optional(
    text(64, {
      format: 'time-zone',
      description: 'Whose midnight parts the days; unless given, the system setting `system_timezone`.',
    }),
  ),
  format: optional(described(oneOf(reportFormats), 'Instead of the field `Accept` (`application/json`, `text/csv`).')),
  orderBy: optional(
    text(500, { description: 'Members of the rows, separated by `,` or `;`. Unless given, `period`.' }),
  ),
  sortedBy: optional(text(200, { description: '`asc` or `desc`, by position; the first holds where one is missing.' })),
};

const tag = 'Reports';
const manner =
  'Rows come as they are found, however many they are. As CSV (`Accept: text/csv` or `format=csv`) there is a line of names first; a cell that a spreadsheet would take for a formula begins with an apostrophe.';

export const reportedSales = ['sold-by-platform', 'own-business', 'paid-by-customer'] as const;
const whatIsCounted =
  '`sold-by-platform`: what the platform itself sold; what resellers handed down is not counted. `own-business`: what the customers of the caller sold to those below them, and what plain customers pay; what was sold further below is not counted. `paid-by-customer`: what the customer that was asked for pays, whoever sold it.';

export const reportEndpoints = {
  readUsageReport: endpoint({
    method: 'GET',
    path: '/reports/usage',
    tag,
    summary: 'Report what was used, by day or month',
    description: `What was used is counted in the period in which it was used: a meeting over midnight is divided, minute by minute as it was charged, so that the periods add up to the total. Meetings that run are counted up to now. What was used in rooms that were deleted since stays in the report. Periods in which nothing was used have no row. With \`group_by=feature\` there is a row per feature with \`used\`, without it the members from \`participant_minutes\` to \`storage_bytes\` are filled. Users see the rooms that they may read. ${manner}`,
    access: holders('read-meetings', members('read-room')),
    csv: true,
    query: object({
      ...range,
      group_by: optional(
        text(50, {
          description: `One of ${usageGroups.map((group) => `\`${group}\``).join(', ')}; \`feature\` also beside another, as in \`customer,feature\`. Unless given, everything together.`,
        }),
      ),
      customer_id: optional(identifier('cust', 'Only what this customer used.')),
      subscription_id: optional(identifier('sub', 'Only what this subscription used.')),
      account_id: optional(identifier('acct', 'Only what this account used.')),
      room_id: optional(identifier('room', 'Only what this room used.')),
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
    description: `A row per period and currency. It says what was so at the end of each period, also where prices, dates and states were changed since. Terms in days, weeks or years are brought to a month of 30.436875 days, a twelfth of a year. Each price counts once, for whoever sold it: administrators see what the platform itself sold, the people of a reseller what it handed down to those below it, those of another customer what they pay. With \`customer_id\` it is what that customer pays, whoever sold it. Users see the subscriptions that they may read. ${manner}`,
    access: holders('read-subscriptions', members('read-subscriptions')),
    csv: true,
    query: object({
      ...range,
      expiring_within: optional(
        Type.Integer({
          minimum: 0,
          maximum: 366,
          default: 30,
          description: 'Days after the end of the period; 30 unless given.',
        }),
      ),
      customer_id: optional(
        identifier(
          'cust',
          'Only the subscriptions of this customer, bought of the platform or of a reseller: what it pays.',
        ),
      ),
      package_id: optional(identifier('pkg', 'Only the subscriptions to this package.')),
      currency: optional(text(3, { format: 'currency', description: 'Only in this currency.' })),
    }),
    answer: bare(
      object({
        data: listOf(subscriptionsRow),
        meta: object({ ...reportMeta, expiring_within: integer(0, 366), counted: oneOf(reportedSales, whatIsCounted) }),
      }),
    ),
    errors: ['validation-failed', 'unknown-query-field', 'report-timeout', 'busy'],
  }),
};
