-- Who sold a subscription: null is the platform, else the customer that handed it down. It stays so.
alter table subscription_versions add column sold_by uuid;
update subscription_versions version set sold_by = parent.subscriber_id
from subscriptions sold join subscriptions parent on parent.id = sold.parent_subscription_id
where sold.id = version.subscription_id;
create index subscription_versions_sold_by on subscription_versions (sold_by) where sold_by is not null;

create or replace function keep_new_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation, sold_by)
  select id, created_at, subscriber_id, package_id, status, currency, monthly_value(price, periodicity, periodicity_type),
    coalesce(cancels_at, ends_at), trial_ends_at,
    usable_until(status, ends_at, trial_ends_at, cancels_at, canceled_now, grace_period, grace_interval), true,
    status = 'canceled',
    (select parent.subscriber_id from subscriptions parent where parent.id = made.parent_subscription_id)
  from made;
  return null;
end
$$;

create or replace function keep_changed_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation, sold_by)
  select changed.id, changed.updated_at, changed.subscriber_id, changed.package_id, changed.status, changed.currency,
    monthly_value(changed.price, changed.periodicity, changed.periodicity_type),
    coalesce(changed.cancels_at, changed.ends_at), changed.trial_ends_at,
    usable_until(changed.status, changed.ends_at, changed.trial_ends_at, changed.cancels_at, changed.canceled_now,
      changed.grace_period, changed.grace_interval), false,
    changed.status = 'canceled' and former.status <> 'canceled',
    (select parent.subscriber_id from subscriptions parent where parent.id = changed.parent_subscription_id)
  from changed join former using (id)
  where (changed.subscriber_id, changed.package_id, changed.status, changed.currency, changed.price,
      changed.periodicity, changed.periodicity_type, changed.ends_at, changed.trial_ends_at, changed.cancels_at,
      changed.canceled_now, changed.grace_period, changed.grace_interval)
    is distinct from (former.subscriber_id, former.package_id, former.status, former.currency, former.price,
      former.periodicity, former.periodicity_type, former.ends_at, former.trial_ends_at, former.cancels_at,
      former.canceled_now, former.grace_period, former.grace_interval);
  return null;
end
$$;
