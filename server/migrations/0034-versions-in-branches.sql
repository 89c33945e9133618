-- Of which subscriptions one was handed down, from the topmost down: it is used as long as they can be. It stays so.
alter table subscription_versions add column ancestors uuid[] not null default '{}';
update subscription_versions version set ancestors = sold.ancestors
from subscriptions sold where sold.id = version.subscription_id and sold.ancestors <> '{}';

create or replace function keep_new_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation, sold_by, ancestors)
  select id, created_at, subscriber_id, package_id, status, currency, monthly_value(price, periodicity, periodicity_type),
    coalesce(cancels_at, ends_at), trial_ends_at,
    usable_until(status, ends_at, trial_ends_at, cancels_at, canceled_now, grace_period, grace_interval), true,
    status = 'canceled',
    (select parent.subscriber_id from subscriptions parent where parent.id = made.parent_subscription_id), ancestors
  from made;
  return null;
end
$$;

create or replace function keep_changed_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation, sold_by, ancestors)
  select changed.id, changed.updated_at, changed.subscriber_id, changed.package_id, changed.status, changed.currency,
    monthly_value(changed.price, changed.periodicity, changed.periodicity_type),
    coalesce(changed.cancels_at, changed.ends_at), changed.trial_ends_at,
    usable_until(changed.status, changed.ends_at, changed.trial_ends_at, changed.cancels_at, changed.canceled_now,
      changed.grace_period, changed.grace_interval), false,
    changed.status = 'canceled' and former.status <> 'canceled',
    (select parent.subscriber_id from subscriptions parent where parent.id = changed.parent_subscription_id),
    changed.ancestors
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
