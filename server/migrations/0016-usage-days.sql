-- What was used on days that are over, added up once: reports over long spans read these rows instead of every stay.
-- A day counts from its first moment in the zone of the roll-up to the first one after it.
create table usage_days (
  starts_at timestamptz primary key,
  ends_at timestamptz not null check (ends_at > starts_at),
  -- Something of the day was changed since; it is to be added up again.
  is_stale boolean not null default false
);

create table usage_by_day (
  starts_at timestamptz not null,
  -- How many of the ids are filled: 0 is the whole platform, 4 a room. Peaks do not add up from one to the other.
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

-- The one roll-up: whose midnights part its days, where they begin, and the moment up to which days are over.
create table usage_roll_up (
  is_only boolean primary key default true check (is_only),
  time_zone text not null,
  begins_at timestamptz not null,
  reaches_at timestamptz not null
);

-- Spans of which something was changed that was over before; written with the change itself.
create table usage_touched (
  id bigint generated always as identity primary key,
  from_at timestamptz not null,
  until_at timestamptz not null
);

create function touch_usage(touched_from timestamptz, touched_until timestamptz) returns void
language sql volatile as $$
  insert into usage_touched (from_at, until_at)
  select touched_from, touched_until from usage_roll_up where touched_from < reaches_at
$$;

-- Another end changes nothing before the earlier one of both, another beginning all of it.
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

-- What was copied to past_usage counts as before.
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
