-- The last day of an active subscription, grace and trial included: the job looks at what has expired, not at what is
-- in its grace.
create index subscriptions_last_day on subscriptions (greatest((ends_at + make_interval(
  days => case grace_interval when 'day' then grace_period when 'week' then grace_period * 7 else 0 end,
  months => case grace_interval when 'month' then grace_period when 'year' then grace_period * 12 else 0 end))::date,
  trial_ends_at)) where status = 'active';
