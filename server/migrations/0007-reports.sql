-- One row per change of a subscription that reports look at. Without foreign keys: reports outlive what they count.
create table subscription_versions (
  subscription_id uuid not null,
  since timestamptz not null,
  number bigint generated always as identity,
  customer_id uuid not null,
  package_id uuid not null,
  -- The reseller that sold the subscription; null for the platform.
  sold_by uuid,
  -- The subscriptions above it: it can be used as long as they can.
  ancestors uuid[] not null default '{}',
  status text not null check (status in ('active', 'inactive', 'canceled', 'suspended', 'terminated')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Revenue per month, a twelfth of 365.2425 days.
  monthly_value numeric(18, 6) not null,
  ends_at date not null,
  trial_ends_at date,
  -- The last day of use, grace included; null if it cannot be used.
  usable_until date,
  is_first boolean not null,
  is_cancellation boolean not null,
  primary key (subscription_id, since, number)
);
create index subscription_versions_since on subscription_versions (since);
create index subscription_versions_customer on subscription_versions (customer_id);
create index subscription_versions_sold_by on subscription_versions (sold_by) where sold_by is not null;

create function monthly_value(price numeric, periodicity integer, periodicity_type text) returns numeric
language sql immutable parallel safe as $$
  select price / periodicity * case periodicity_type
    when 'day' then 365.2425 / 12
    when 'week' then 365.2425 / 12 / 7
    when 'month' then 1
    else 1 / 12.0
  end
$$;

create function keep_new_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation, sold_by, ancestors)
  select id, created_at, subscriber_id, package_id, status, currency, monthly_value(price, periodicity, periodicity_type),
    coalesce(cancels_at, ends_at), trial_ends_at,
    usable_until, true, status = 'canceled',
    (select parent.subscriber_id from subscriptions parent where parent.id = made.parent_subscription_id), ancestors
  from made;
  return null;
end
$$;

create function keep_changed_subscriptions() returns trigger language plpgsql as $$
begin
  insert into subscription_versions (subscription_id, since, customer_id, package_id, status, currency, monthly_value,
    ends_at, trial_ends_at, usable_until, is_first, is_cancellation, sold_by, ancestors)
  select changed.id, changed.updated_at, changed.subscriber_id, changed.package_id, changed.status, changed.currency,
    monthly_value(changed.price, changed.periodicity, changed.periodicity_type),
    coalesce(changed.cancels_at, changed.ends_at), changed.trial_ends_at,
    changed.usable_until, false, changed.status = 'canceled' and former.status <> 'canceled',
    (select parent.subscriber_id from subscriptions parent where parent.id = changed.parent_subscription_id),
    changed.ancestors
  from changed join former using (id)
  where (changed.subscriber_id, changed.package_id, changed.status, changed.currency, changed.price,
      changed.periodicity, changed.periodicity_type, changed.ends_at, changed.trial_ends_at, changed.cancels_at,
      changed.usable_until)
    is distinct from (former.subscriber_id, former.package_id, former.status, former.currency, former.price,
      former.periodicity, former.periodicity_type, former.ends_at, former.trial_ends_at, former.cancels_at,
      former.usable_until);
  return null;
end
$$;

-- Triggers: every statement that writes subscriptions must leave a version.
create trigger keep_new after insert on subscriptions
  referencing new table as made for each statement execute function keep_new_subscriptions();
create trigger keep_changed after update on subscriptions
  referencing old table as former new table as changed for each statement execute function keep_changed_subscriptions();

-- Usage of deleted rooms and accounts, for reports.
create table past_usage (
  id uuid primary key,
  kind text not null check (kind in ('entry', 'meeting', 'recording', 'room', 'account')),
  customer_id uuid not null,
  subscription_id uuid not null,
  account_id uuid not null,
  room_id uuid,
  -- The last name of the room, or of the account.
  name text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  size_bytes bigint not null default 0
);
create index past_usage_time on past_usage (kind, started_at, ended_at);
create index past_usage_customer on past_usage (customer_id, kind, started_at);
create index past_usage_room on past_usage (room_id) where kind = 'room';
create index past_usage_account on past_usage (account_id) where kind = 'account';

-- Materialized roll-up: reports over long periods read one row per day instead of every stay. Days begin at midnight in
-- the time zone of usage_roll_up.
create table usage_days (
  starts_at timestamptz primary key,
  ends_at timestamptz not null check (ends_at > starts_at),
  -- Something changed since: the day is recomputed.
  is_stale boolean not null default false
);

create table usage_by_day (
  id bigint generated always as identity primary key,
  starts_at timestamptz not null,
  -- How many of the ids are set: 0 is the platform, 4 a room. Each depth has rows, since peaks cannot be summed.
  depth smallint not null check (depth between 0 and 4),
  customer_id uuid,
  subscription_id uuid,
  account_id uuid,
  room_id uuid,
  participant_minutes bigint not null,
  meetings bigint not null,
  peak_participants bigint not null,
  peak_meetings bigint not null
);
create index usage_by_day_starts on usage_by_day (starts_at, depth, customer_id);

create table usage_roll_up (
  is_only boolean primary key default true check (is_only),
  time_zone text not null,
  begins_at timestamptz not null,
  reaches_at timestamptz not null
);

-- Periods before reaches_at in which something changed, written in the transaction of the change.
create table usage_touched (
  id bigint generated always as identity primary key,
  from_at timestamptz not null,
  until_at timestamptz not null
);

-- Triggers: meetings and stays change in many statements, and usage that no trigger saw would be missing in reports.
create function touch_usage(touched_from timestamptz, touched_until timestamptz) returns void
language sql volatile as $$
  insert into usage_touched (from_at, until_at)
  select touched_from, touched_until from usage_roll_up where touched_from < reaches_at
$$;

-- A changed end affects nothing before the earlier end; a changed start affects everything.
create function touch_usage_between(old_start timestamptz, old_end timestamptz, new_start timestamptz,
  new_end timestamptz) returns void
language plpgsql as $$
begin
  if old_start is not distinct from new_start then
    perform touch_usage(greatest(new_start, least(old_end, new_end)),
      greatest(new_start, coalesce(old_end, 'infinity'), coalesce(new_end, 'infinity')));
  else
    perform touch_usage(least(old_start, new_start),
      greatest(old_start, new_start, coalesce(old_end, 'infinity'), coalesce(new_end, 'infinity')));
  end if;
end
$$;

create function touch_usage_of_new_entry() returns trigger language plpgsql as $$
begin
  perform touch_usage(new.joined_at, greatest(new.joined_at, coalesce(new.left_at, 'infinity')));
  return null;
end
$$;
create trigger touch_usage_of_new after insert on room_entries for each row
  when (new.joined_at is not null) execute function touch_usage_of_new_entry();

create function touch_usage_of_entry() returns trigger language plpgsql as $$
begin
  perform touch_usage_between(old.joined_at, old.left_at, new.joined_at, new.left_at);
  return null;
end
$$;
create trigger touch_usage after update of joined_at, left_at on room_entries for each row
  when ((old.joined_at, old.left_at) is distinct from (new.joined_at, new.left_at)
    and coalesce(old.joined_at, new.joined_at) is not null)
  execute function touch_usage_of_entry();

create function touch_usage_of_new_meeting() returns trigger language plpgsql as $$
begin
  perform touch_usage(new.started_at, greatest(new.started_at, coalesce(new.ended_at, 'infinity')));
  return null;
end
$$;
create trigger touch_usage_of_new after insert on meetings for each row
  when (new.started_at is not null) execute function touch_usage_of_new_meeting();

create function touch_usage_of_meeting() returns trigger language plpgsql as $$
begin
  perform touch_usage_between(old.started_at, old.ended_at, new.started_at, new.ended_at);
  return null;
end
$$;
create trigger touch_usage after update of started_at, ended_at on meetings for each row
  when ((old.started_at, old.ended_at) is distinct from (new.started_at, new.ended_at)
    and coalesce(old.started_at, new.started_at) is not null)
  execute function touch_usage_of_meeting();

-- Rows copied to past_usage before their deletion still count, so their days stay valid.
create function touch_usage_of_gone_entries() returns trigger language plpgsql as $$
begin
  perform touch_usage(lower(span), upper(span))
  from (
    select unnest(range_agg(tstzrange(date_trunc('hour', joined_at),
      date_trunc('hour', greatest(joined_at, coalesce(left_at, 'infinity'))) + interval '1 hour'))) as span
    from gone where joined_at is not null and not exists (select from past_usage where past_usage.id = gone.id)
  ) touched;
  return null;
end
$$;
create trigger touch_usage_of_gone after delete on room_entries
  referencing old table as gone for each statement execute function touch_usage_of_gone_entries();

create function touch_usage_of_gone_meetings() returns trigger language plpgsql as $$
begin
  perform touch_usage(lower(span), upper(span))
  from (
    select unnest(range_agg(tstzrange(date_trunc('hour', started_at),
      date_trunc('hour', greatest(started_at, coalesce(ended_at, 'infinity'))) + interval '1 hour'))) as span
    from gone where started_at is not null and not exists (select from past_usage where past_usage.id = gone.id)
  ) touched;
  return null;
end
$$;
create trigger touch_usage_of_gone after delete on meetings
  referencing old table as gone for each statement execute function touch_usage_of_gone_meetings();

create function touch_usage_of_forgotten() returns trigger language plpgsql as $$
begin
  perform touch_usage(old.started_at, greatest(old.started_at, old.ended_at));
  return null;
end
$$;
create trigger touch_usage_of_forgotten after delete on past_usage for each row
  when (old.kind in ('entry', 'meeting')) execute function touch_usage_of_forgotten();

-- Reports count a room in its present account, so a move recomputes its past.
create function touch_moved_rooms() returns trigger language plpgsql as $$
begin
  perform touch_usage(least(new.created_at, (select min(started_at) from meetings where room_id = new.id)), 'infinity');
  return null;
end
$$;
create trigger touch_moved_rooms after update of account_id on rooms for each row
  when (new.account_id <> old.account_id) execute function touch_moved_rooms();
