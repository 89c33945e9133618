import type { SubscriptionsRow } from '@foyer/contract/resources/platform/report.ts';
import { lastCalendarDate } from '../../platform/time/calendar-date.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { visibleCustomers, customersOfUser } from '../memberships/index.ts';
import type { ReportOrder, ReportRequest } from './report-request.ts';

/** A row of the report before it is printed; `n` counts the periods from one. */
export type SubscriptionTotals = Omit<
  SubscriptionsRow,
  'period' | 'starts_at' | 'ends_at' | 'monthly_recurring_value'
> & {
  readonly n: number;
  /** A decimal number, as PostgreSQL writes it. */
  readonly monthly_recurring_value: string;
};

export interface SubscriptionsQuery extends Pick<ReportRequest, 'periods' | 'now' | 'order'> {
  readonly expiringWithin: number;
  readonly filters: {
    readonly customer_id?: Uuid;
    readonly package_id?: Uuid;
    readonly currency?: string;
  };
  readonly userId: Uuid | null;
}

/**
 * One statement for the whole report. Each version of a subscription is valid until the next one; a period counts the
 * version valid at its end. Requires at least one period.
 */
export function subscriptionsStatement(query: SubscriptionsQuery): RawBuilder<unknown> {
  const { periods, now, expiringWithin, order } = query;
  const bounds = [...periods.map(({ startsAt }) => startsAt), periods.at(-1)?.endsAt ?? now];
  const days = periods.map(({ lastDay }) => lastDay);
  return sql`
    with grid as materialized (
      select ${bounds}::timestamptz[] as bounds, ${days}::date[] as days, ${periods.length}::int as size
    ),
    dated_version as (
      select *, lead(since) over (partition by subscription_id order by since, number) as until
      from subscription_versions where ${sql.join([isVisibleSale(query), sql`since < ${bounds.at(-1) ?? now}`], sql` and `)}
    ),
    version as (select * from dated_version where ${matchesFilters(query)}),
    usable_ancestor as materialized (
      select subscription_id, n
      from (
        select *, lead(since) over (partition by subscription_id order by since, number) as until
        from subscription_versions
        where subscription_id in (select unnest(ancestors) from version where ancestors <> '{}')
          and since < ${bounds.at(-1) ?? now}
      ) ancestor_version cross join grid
      ${joinPeriods}
      where usable_until >= day
    ),
    state as (
      select n, currency, count(*) as active, count(*) filter (where trialing) as trialing,
        -- A subscription that renews itself has no last day.
        count(*) filter (where ends_on <= day + ${expiringWithin}::int and usable_until < ${lastCalendarDate}::date) as expiring,
        sum(monthly_value) filter (where status = 'active' and not trialing) as value
      from version cross join grid
      ${joinPeriods}
      cross join lateral (select coalesce(status = 'active' and trial_ends_at >= day, false) as trialing) trial
      cross join lateral (select case status when 'active' then greatest(ends_at, trial_ends_at) else ends_at end as ends_on) ending
      where usable_until >= day and (ancestors = '{}' or not exists (
        select from unnest(ancestors) as ancestor
        where not exists (select from usable_ancestor where usable_ancestor.subscription_id = ancestor and usable_ancestor.n = periods.n)))
      group by n, currency
    ),
    change_count as (
      select width_bucket(since, bounds) as n, currency, count(*) filter (where is_first) as created,
        count(*) filter (where is_cancellation) as canceled
      from version cross join grid
      where (is_first or is_cancellation) and since >= bounds[1]
      group by 1, currency
    )
    select n, currency, coalesce(active, 0)::int as active, coalesce(trialing, 0)::int as trialing,
      coalesce(created, 0)::int as new, coalesce(canceled, 0)::int as canceled, coalesce(expiring, 0)::int as expiring,
      round(coalesce(value, 0), 4) as monthly_recurring_value
    from state full join change_count using (n, currency)
    order by ${orderOf(order)}`;
}

/** A row for each period at whose end the version was valid. */
const joinPeriods = sql`
  cross join lateral generate_series(
    greatest(width_bucket(since, bounds), 1),
    least(coalesce(width_bucket(until, bounds) - 1, size), size)) as periods(n)
  cross join lateral (select days[n] as day) period_end`;

/** Conditions on columns that never change, so that they can be applied before the window function. */
function isVisibleSale({ filters, userId }: SubscriptionsQuery): RawBuilder<unknown> {
  const isVisible = userId === null ? sql`true` : sql`customer_id in ${visibleCustomers(userId, 'read-subscriptions')}`;
  if (filters.customer_id !== undefined) return sql`${isVisible} and customer_id = ${filters.customer_id}`;
  return sql`${isVisible} and ${userId === null ? sql`sold_by is null` : isOwnSaleOrCost(userId)}`;
}

/** A price counts once, for its seller: resellers see their sales, and other customers see their costs. */
function isOwnSaleOrCost(userId: Uuid): RawBuilder<unknown> {
  const customers = customersOfUser(userId, 'read-subscriptions');
  return sql`(sold_by in ${customers} or customer_id in
    (select customer.id from customers customer where customer.id in ${customers} and not customer.is_reseller))`;
}

function matchesFilters({ filters }: SubscriptionsQuery): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(filters.package_id === undefined ? [] : [sql`package_id = ${filters.package_id}`]),
    ...(filters.currency === undefined ? [] : [sql`currency = ${filters.currency}`]),
  ];
  return sql.join(conditions, sql` and `);
}

function orderOf(order: readonly ReportOrder[]): RawBuilder<unknown> {
  const ofPeriod = new Set(['period', 'starts_at', 'ends_at']);
  const terms = order.map(
    ({ member, descending }) =>
      sql`${sql.ref(ofPeriod.has(member) ? 'n' : member)} ${sql.raw(descending ? 'desc' : 'asc')}`,
  );
  return sql.join([...terms, sql`n`, sql`currency`]);
}
