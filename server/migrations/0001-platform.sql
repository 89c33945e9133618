create extension if not exists pg_trgm;

create table settings (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null
);

-- New events are stored without the indexes that lists need: publication moves them. Published ones are stored by month
-- of the id, a UUIDv7 that begins with the time in milliseconds, so that old events are removed by dropping tables.
-- `event_sequences` makes sequences unique.
create table events (
  id uuid not null,
  name text not null,
  resource_type text not null check (resource_type ~ '^[A-Z][A-Za-z]+$'),
  resource_id uuid not null,
  sequence bigint not null,
  customer_id uuid,
  actor_type text not null check (actor_type in ('admin', 'user', 'client', 'system', 'visitor')),
  actor_id uuid,
  actor_name text,
  -- The resource as the API printed it; of a deleted one the last state.
  data json not null,
  -- The former values of the members that changed; null for a new resource.
  previous json,
  occurred_at timestamptz not null,
  -- In the order of publication, without gaps; null until it is published.
  position bigint
) partition by list ((position is not null));
create table events_unpublished partition of events (primary key (id)) for values in (false);
-- Publication takes events of each customer in turn, and with each event the earlier ones of its resource.
create index events_unpublished_customer on events_unpublished (customer_id, id);
create index events_unpublished_resource on events_unpublished (resource_id, sequence);
create table events_published partition of events (primary key (id)) for values in (true) partition by range (id);
create index events_resource on events_published (resource_id, sequence);
create index events_customer on events_published (customer_id, id);
create index events_name on events_published (name, id);
create index events_position on events_published (position);

create table events_default partition of events_published default;

-- The smallest UUIDv7 of an instant.
create function uuid_at(instant timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex(floor(extract(epoch from instant) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- Creates the partition of the month, unless it exists or events of this month are in the default partition already.
create function create_event_partition(instant timestamptz) returns boolean language plpgsql as $$
declare
  first timestamptz := date_trunc('month', instant at time zone 'UTC') at time zone 'UTC';
  next timestamptz := (date_trunc('month', instant at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  name text := 'events_' || to_char(first at time zone 'UTC', 'YYYY_MM');
begin
  if to_regclass(name) is not null or exists (select from events_default where id >= uuid_at(first) and id < uuid_at(next)) then
    return false;
  end if;
  execute format('create table %I partition of events_published for values from (%L) to (%L)', name, uuid_at(first), uuid_at(next));
  return true;
end $$;

select create_event_partition(now()), create_event_partition(now() + interval '1 month');

-- The position of the last published event.
create table event_log (
  only_one boolean primary key default true check (only_one),
  last_position bigint not null
);
insert into event_log (last_position) values (0);

create table event_sequences (
  resource_id uuid primary key,
  last bigint not null,
  mac bytea
);

create table audit_entries (
  id uuid primary key,
  actor_type text not null check (actor_type in ('admin', 'user', 'client', 'system', 'visitor')),
  actor_id uuid,
  actor_name text,
  client_id uuid,
  client_name text,
  action text not null,
  resource_type text not null check (resource_type ~ '^[A-Z][A-Za-z]+$'),
  resource_id uuid,
  -- The number of the event in the sequence of its resource.
  sequence bigint,
  customer_id uuid,
  old_values jsonb,
  new_values jsonb,
  request_id text,
  address text,
  occurred_at timestamptz not null,
  mac bytea
);
create index audit_entries_occurred on audit_entries (occurred_at, id);
create index audit_entries_resource on audit_entries (resource_id, id);
create index audit_entries_actor on audit_entries (actor_id, id);
create index audit_entries_customer on audit_entries (customer_id, id);
create index audit_entries_words on audit_entries using gin (action gin_trgm_ops, actor_name gin_trgm_ops);

-- The HMAC key, encrypted with the keys of the installation.
create table audit_keys (
  only_one boolean primary key default true check (only_one),
  sealed text not null,
  created_at timestamptz not null
);

-- Entries that the worker has not yet appended to the chain.
create table audit_unsealed (
  entry_id uuid primary key
);

-- Hash chain: each hash covers the previous hash and an entry.
create table audit_seals (
  sequence bigint primary key check (sequence >= 1),
  entry_id uuid not null unique,
  hash bytea not null check (octet_length(hash) = 32)
);

create table audit_heads (
  only_one boolean primary key default true check (only_one),
  sequence bigint not null check (sequence >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  -- How many entries were written before entries had a MAC.
  entries_before bigint not null,
  mac bytea
);
insert into audit_heads (sequence, hash, entries_before) values (0, decode(repeat('00', 32), 'hex'), 0);

create function refuse_change_of_audit() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only: % of % is refused.', lower(tg_op), tg_table_name
    using errcode = 'insufficient_privilege';
end
$$;

-- Triggers: the owner of a table cannot be refused by privileges.
create trigger append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_change_of_audit();
create trigger append_only before update or delete or truncate on audit_seals
  for each statement execute function refuse_change_of_audit();

-- Responses to requests with an Idempotency-Key. A row without a status is a request that is still running.
create table idempotency_keys (
  id uuid primary key,
  caller text not null,
  key text not null,
  fingerprint text not null,
  status integer check (status between 200 and 599),
  etag text,
  body_sealed text,
  -- Size before encryption; 1 if the response was too long to keep and is rendered again from resource_id.
  body_bytes integer not null default 0,
  resource_id uuid,
  claimed_at timestamptz not null,
  unique (caller, key)
);
create index idempotency_keys_claimed on idempotency_keys (claimed_at);

-- Unlogged: losing the counters in a crash only starts the windows again.
create unlogged table rate_limits (
  key text primary key,
  ends_at timestamptz not null,
  granted integer not null,
  leased integer not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Unlogged: losing the counters in a crash only starts the windows again.
create unlogged table failed_attempts (
  id bigint generated always as identity primary key,
  scope text not null,
  -- HMAC of the name of the account or room.
  name_hash bytea not null,
  address text not null,
  failed_at timestamptz not null
);
create index failed_attempts_pair on failed_attempts (scope, name_hash, address, failed_at);
create index failed_attempts_name on failed_attempts (scope, name_hash, failed_at);
create index failed_attempts_address on failed_attempts (scope, address, failed_at);

-- Outbox: written in the transaction of the change that it reports, sent by the worker, erased once sent.
create table mails (
  id uuid primary key,
  kind text not null check (kind in (
    'invitation', 'password_reset', 'subscription_expiring', 'subscription_renewed', 'subscription_suspended',
    'package_changed', 'limit_near', 'limit_reached', 'recording_ready', 'video_ready', 'room_invitation',
    'webhook_disabled', 'provider_down', 'provider_up', 'new_device'
  )),
  recipient text not null,
  subject text not null,
  locale text not null,
  content_sealed text,
  -- Kept: no mail server was configured.
  state text not null check (state in ('queued', 'sent', 'failed', 'withdrawn', 'kept')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- Lease of the worker that sends it; another worker takes it after that.
  held_until timestamptz,
  expires_at timestamptz not null,
  finished_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((state in ('queued', 'kept')) = (content_sealed is not null)),
  check ((state = 'queued') = (finished_at is null))
);
create index mails_due on mails (due_at) where state = 'queued';
create index mails_finished on mails (finished_at) where state <> 'queued';
create index mails_created on mails (created_at, id);
