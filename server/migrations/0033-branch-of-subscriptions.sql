-- What was handed down of a subscription at any depth.
create index subscriptions_ancestors on subscriptions using gin (ancestors) with (fastupdate = off)
  where ancestors <> '{}';
