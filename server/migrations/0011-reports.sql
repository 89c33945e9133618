create table recordings (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  meeting_id uuid references meetings on delete set null,
  customer_id uuid not null references customers,
  subscription_id uuid not null references subscriptions,
  service_provider_id uuid references service_providers on delete set null,
  provider_recording_id text not null,
  name text,
  state text not null,
  published boolean not null default true,
  started_at timestamptz,
  ended_at timestamptz,
  participants integer,
  size_bytes bigint not null default 0 check (size_bytes >= 0),
  playback jsonb not null default '[]',
  expires_at timestamptz,
  recording_metadata jsonb not null default '{}',
  -- When it was deleted: it takes no space from then on.
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (service_provider_id, provider_recording_id)
);
create index recordings_room on recordings (room_id, id);
create index recordings_meeting on recordings (meeting_id);
create index recordings_customer on recordings (customer_id, created_at);
create index recordings_subscription on recordings (subscription_id);

-- What was used in rooms and accounts that are gone: reports count it for as long as there are reports.
create table past_usage (
  id uuid primary key,
  kind text not null check (kind in ('entry', 'meeting', 'recording', 'room', 'account')),
  customer_id uuid not null,
  subscription_id uuid not null,
  account_id uuid not null,
  room_id uuid,
  -- What it was called last: the room, or of an account the account.
  name text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  size_bytes bigint not null default 0
);
create index past_usage_time on past_usage (kind, started_at, ended_at);
create index past_usage_customer on past_usage (customer_id, kind, started_at);
create index past_usage_room on past_usage (room_id) where kind = 'room';
create index past_usage_account on past_usage (account_id) where kind = 'account';

-- Reports ask for a span of time over all customers, or for one customer's.
create index meetings_time on meetings using brin (created_at, ended_at) with (pages_per_range = 32, autosummarize = on);
create index meetings_customer on meetings (customer_id, created_at);
create index meetings_of_subscription on meetings (subscription_id);
create index room_entries_time on room_entries using brin (joined_at, left_at)
  with (pages_per_range = 32, autosummarize = on);
create index room_entries_of_meeting on room_entries (meeting_id);
create index room_entries_room on room_entries (room_id);

-- What each subscription was from when on: one row per change of what reports say about it.
create table subscription_versions (
  subscription_id uuid not null,
  since timestamptz not null,
  number bigint generated always as identity,
  customer_id uuid not null,
  package_id uuid not null,
  status text not null,
  currency text not null,
  -- What it brings in a month, a twelfth of 365.2425 days.
  monthly_value numeric(18, 6) not null,
  ends_at date not null,
  trial_ends_at date,
  -- The last day of use, grace included; null when it cannot be used at all.
  usable_until date,
  -- Whether the subscription was made by this version; whether it canceled it.
  is_first boolean not null,
  is_cancellation boolean not null,
  primary key (subscription_id, since, number)
);
create index subscription_versions_since on subscription_versions (since);
create index subscription_versions_customer on subscription_versions (customer_id);

create function monthly_value(price numeric, periodicity integer, periodicity_type text) returns numeric
language sql immutable parallel safe as $$
  select price / periodicity * case periodicity_type
    when 'day' then 365.2425 / 12
    when 'week' then 365.2425 / 12 / 7
    when 'month' then 1
    else 1 / 12.0
  end
$$;

create function usable_until(status text, ends_at date, trial_ends_at date, cancels_at date, canceled_now boolean,
  grace_period integer, grace_interval text) returns date
language sql immutable parallel safe as $$
  select case
    when status = 'active' then greatest(trial_ends_at, (ends_at + make_interval(
      days => case grace_interval when 'day' then grace_period when 'week' then grace_period * 7 else 0 end,
      months => case grace_interval when 'month' then grace_period when 'year' then grace_period * 12 else 0 end))::date)
    when status = 'canceled' and not canceled_now then cancels_at
  end
$$;

create function keep_new_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation)
  select id, created_at, subscriber_id, package_id, status, currency, monthly_value(price, periodicity, periodicity_type),
    coalesce(cancels_at, ends_at), trial_ends_at,
    usable_until(status, ends_at, trial_ends_at, cancels_at, canceled_now, grace_period, grace_interval), true, status = 'canceled'
  from made;
  return null;
end
$$;

create function keep_changed_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation)
  select changed.id, changed.updated_at, changed.subscriber_id, changed.package_id, changed.status, changed.currency,
    monthly_value(changed.price, changed.periodicity, changed.periodicity_type),
    coalesce(changed.cancels_at, changed.ends_at), changed.trial_ends_at,
    usable_until(changed.status, changed.ends_at, changed.trial_ends_at, changed.cancels_at, changed.canceled_now,
      changed.grace_period, changed.grace_interval), false,
    changed.status = 'canceled' and former.status <> 'canceled'
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

-- Of what was there before, only the beginning, a cancellation and the present state are known.
insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
  ends_at, trial_ends_at, usable_until, is_first, is_cancellation)
select id, created_at, subscriber_id, package_id, 'active', currency, monthly_value(price, periodicity, periodicity_type),
  ends_at, trial_ends_at, greatest(trial_ends_at, ends_at, cancels_at), true, false
from subscriptions;
insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
  ends_at, trial_ends_at, usable_until, is_first, is_cancellation)
select id, canceled_at, subscriber_id, package_id, 'canceled', currency, monthly_value(price, periodicity, periodicity_type),
  coalesce(cancels_at, ends_at), trial_ends_at, case when not canceled_now then cancels_at end, false, true
from subscriptions where canceled_at is not null;
insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
  ends_at, trial_ends_at, usable_until, is_first, is_cancellation)
select id, greatest(updated_at, canceled_at), subscriber_id, package_id, status, currency,
  monthly_value(price, periodicity, periodicity_type), coalesce(cancels_at, ends_at), trial_ends_at,
  usable_until(status, ends_at, trial_ends_at, cancels_at, canceled_now, grace_period, grace_interval), false, false
from subscriptions;

create trigger keep_new after insert on subscriptions
  referencing new table as made for each statement execute function keep_new_subscriptions();
create trigger keep_changed after update on subscriptions
  referencing old table as former new table as changed for each statement execute function keep_changed_subscriptions();
