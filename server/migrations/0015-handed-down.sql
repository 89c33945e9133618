-- A reseller hands down of its own subscriptions to the customers below it. What is handed down of a feature is set
-- aside from what the reseller itself can use, so that together they never use more than was sold.
alter table subscriptions
  add column parent_subscription_id uuid references subscriptions,
  add column ancestors uuid[] not null default '{}',
  add check (ancestors[cardinality(ancestors)] is not distinct from parent_subscription_id);
create index subscriptions_parent on subscriptions (parent_subscription_id) where parent_subscription_id is not null;

alter table subscription_usages add column handed_down bigint not null default 0 check (handed_down >= 0);
