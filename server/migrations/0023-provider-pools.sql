-- Where new meetings go. Constants as defaults: no row is written anew.
alter table service_providers
  add column pool text,
  add column tags text[] not null default '{}',
  add column weight integer not null default 100 check (weight between 0 and 1000),
  add column draining boolean not null default false,
  add column max_meetings integer check (max_meetings > 0),
  add column max_participants integer check (max_participants > 0);
create index service_providers_pool on service_providers (pool) where pool is not null;

-- What the last checks of a provider found; there is no row before the first one.
create table service_provider_health (
  service_provider_id uuid primary key references service_providers on delete cascade,
  state text not null check (state in ('healthy', 'degraded', 'down', 'unknown')),
  since timestamptz not null,
  -- Whoever asks writes this first, so that no two ask at once.
  asked_at timestamptz not null,
  checked_at timestamptz,
  answered_at timestamptz,
  last_failure_at timestamptz,
  failures_in_row integer not null default 0,
  latency_ms integer,
  api_version text,
  version_read_at timestamptz,
  problem text,
  -- As the provider counted, with meetings that are not ours.
  meetings integer,
  participants integer,
  foreign_meetings integer,
  foreign_participants integer,
  counted_at timestamptz
);

-- The checks of five minutes, added up.
create table service_provider_checks (
  service_provider_id uuid not null references service_providers on delete cascade,
  begins_at timestamptz not null,
  checks integer not null,
  failures integer not null,
  latency_sum_ms bigint not null,
  latency_max_ms integer,
  peak_meetings integer,
  peak_participants integer,
  primary key (service_provider_id, begins_at)
);
create index service_provider_checks_begins on service_provider_checks (begins_at);

-- A meeting's place on a provider that takes only so many, until it is open there or the place lapses.
create table service_provider_places (
  meeting_id uuid primary key references meetings on delete cascade,
  service_provider_id uuid not null references service_providers on delete cascade,
  expires_at timestamptz not null
);
create index service_provider_places_provider on service_provider_places (service_provider_id);

-- What of a provider's meetings is young is looked up for every meeting that is opened.
create index meetings_provider_created on meetings (service_provider_id, created_at) where state <> 'ended';
drop index meetings_provider;
