import {
  reportedFeatures,
  type reportedSales,
  reportEndpoints as endpoints,
  subscriptionsRow,
  type SubscriptionsRow,
  usageRow,
  type UsageRow,
} from '@foyer/contract/resources/platform/report.ts';
import type { Dependencies } from '../../dependencies.ts';
import { printCalendarDate } from '../../platform/time/calendar-date.ts';
import { invalidInput, unauthenticated } from '../../platform/failures.ts';
import { type Call, type Result, type Route, route } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { idOrNull } from '../../platform/row-members.ts';
import { tenantsOfUser } from '../memberships/index.ts';
import { findUnknownFilters } from './filters-store.ts';
import { readRolledDays } from './rolled-days-store.ts';
import { parseReportRequest, readGroups, type ReportRequest, type UsageFilters } from './report-request.ts';
import { type Report, streamReport } from './stream-report.ts';
import { type SubscriptionsQuery, subscriptionsStatement, type SubscriptionTotals } from './subscriptions-store.ts';
import type { UsageQuery } from './usage/usage-facts.ts';
import { usageStatement, type UsageTotals } from './usage/usage-store.ts';

export function reportRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.readUsageReport, (call) => stream(dependencies, call, readUsageReport)),
    route(endpoints.readSubscriptionsReport, (call) => stream(dependencies, call, readSubscriptionsReport)),
  ];
}

async function stream<Row>(
  dependencies: Dependencies,
  call: Call,
  readReport: (dependencies: Dependencies, call: Call) => Promise<Report<Row>>,
): Promise<Result> {
  return await streamReport(dependencies, await ownerAndReply(dependencies, call), () =>
    readReport(dependencies, call),
  );
}

async function readUsageReport(dependencies: Dependencies, call: Call): Promise<Report<UsageTotals>> {
  const { reader } = call;
  const members = Object.keys(usageRow.properties);
  const source = { endpoint: endpoints.readUsageReport, dependencies, call };
  const { parameters, ...request } = parseReportRequest(source, members, (values, faults) => ({
    groups: readGroups(call.query['group_by'], faults),
    filters: pick(values, ['customer_id', 'subscription_id', 'account_id', 'room_id']) as UsageFilters,
  }));
  await requireKnownFilters(dependencies, call, parameters.filters);
  const isUser = reader.userId !== null;
  const usageQuery: UsageQuery = {
    ...parameters,
    ...request,
    reader: {
      userId: reader.userId,
      mayName: {
        customer: isUser || reader.may('read-customers'),
        subscription: isUser || reader.may('read-subscriptions'),
        account: isUser || reader.may('read-accounts'),
        room: isUser || reader.may('read-rooms'),
      },
    },
  };
  const { periods } = request;
  const [from, to] = [periods[0]?.startsAt, periods.at(-1)?.endsAt];
  const { level, byFeature } = parameters.groups;
  return {
    name: 'usage',
    buildStatement:
      from === undefined || to === undefined
        ? null
        : async (runQuery) => usageStatement(usageQuery, await readRolledDays(runQuery, from, to)),
    request,
    members,
    print: (row) => printUsage(row, request),
    meta: { ...metaOf(request), group_by: [...(level ? [level] : []), ...(byFeature ? ['feature'] : [])] },
  };
}

async function readSubscriptionsReport(dependencies: Dependencies, call: Call): Promise<Report<SubscriptionTotals>> {
  const members = Object.keys(subscriptionsRow.properties);
  const source = { endpoint: endpoints.readSubscriptionsReport, dependencies, call };
  const { parameters, ...request } = parseReportRequest(source, members, (values) => ({
    expiringWithin: (values['expiring_within'] as number | undefined) ?? 30,
    filters: pick(values, ['customer_id', 'package_id', 'currency']) as SubscriptionsQuery['filters'],
  }));
  const { currency: _, ...identifierFilters } = parameters.filters;
  await requireKnownFilters(dependencies, call, identifierFilters);
  const statement = subscriptionsStatement({ ...parameters, ...request, userId: call.reader.userId });
  return {
    name: 'subscriptions',
    buildStatement: request.periods.length === 0 ? null : async () => statement,
    request,
    members,
    print: (row) => printSubscriptions(row, request),
    meta: {
      ...metaOf(request),
      expiring_within: parameters.expiringWithin,
      counted: countedSales(call, parameters.filters),
    },
  };
}

function countedSales({ reader }: Call, filters: SubscriptionsQuery['filters']): (typeof reportedSales)[number] {
  if (filters.customer_id !== undefined) return 'paid-by-customer';
  return reader.userId === null ? 'sold-by-platform' : 'own-business';
}

async function ownerAndReply(
  { db }: Dependencies,
  { reply, principal, reader }: Call,
): Promise<Parameters<typeof streamReport>[1]> {
  if (!principal) throw unauthenticated();
  const { id, kind } = principal;
  return { reply, owner: { id, kind, tenants: reader.userId === null ? [] : await tenantsOfUser(db, reader.userId) } };
}

/** @throws 422 naming the filters whose resource does not exist or is not visible to the caller. */
async function requireKnownFilters(
  { db }: Dependencies,
  { reader }: Call,
  filters: UsageFilters & { readonly package_id?: Uuid },
): Promise<void> {
  const unknown = await findUnknownFilters(db, filters, reader.userId);
  if (unknown.length === 0) return;
  throw invalidInput(
    Object.fromEntries(unknown.map((name) => [name, [`The selected ${name.replaceAll('_', ' ')} is invalid.`]])),
  );
}

function printUsage({ n, ...totals }: UsageTotals, request: ReportRequest): UsageRow {
  return {
    ...periodOf(n, request),
    ...totals,
    customer_id: idOrNull('cust', totals.customer_id),
    subscription_id: idOrNull('sub', totals.subscription_id),
    account_id: idOrNull('acct', totals.account_id),
    room_id: idOrNull('room', totals.room_id),
    unit: totals.feature && reportedFeatures[totals.feature],
  };
}

function printSubscriptions({ n, ...totals }: SubscriptionTotals, request: ReportRequest): SubscriptionsRow {
  return {
    ...periodOf(n, request),
    ...totals,
    monthly_recurring_value: Number(totals.monthly_recurring_value),
  };
}

function periodOf(n: number, { periods }: ReportRequest) {
  const period = periods[n - 1];
  return { period: period?.label ?? '', starts_at: period?.startsAt ?? '', ends_at: period?.endsAt ?? '' };
}

function metaOf({ from, to, timeZone, unit, now }: ReportRequest) {
  return { from: printCalendarDate(from), to: printCalendarDate(to), timezone: timeZone, by: unit, generated_at: now };
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]));
}
