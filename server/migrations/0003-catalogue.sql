create table service_providers (
  id uuid primary key,
  provider_name text not null,
  active boolean not null,
  -- Not a list: the registry of provider types defines them.
  provider_type text not null check (provider_type ~ '^[a-z0-9-]+$'),
  service_type text not null check (service_type in ('video', 'live', 'meet', 'simulcast')),
  properties jsonb not null,
  -- Providers with equal keys are the same server. The provider type computes the key from the properties.
  server_key text not null,
  pool text,
  tags text[] not null default '{}',
  weight integer not null default 100 check (weight between 0 and 1000),
  draining boolean not null default false,
  max_meetings integer check (max_meetings > 0),
  max_participants integer check (max_participants > 0),
  settings jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index service_providers_pool on service_providers (pool) where pool is not null;
-- Finds the other providers of one server.
create index service_providers_server_key on service_providers (server_key);

create table service_provider_health (
  service_provider_id uuid primary key references service_providers on delete cascade,
  state text not null check (state in ('healthy', 'degraded', 'down', 'unknown')),
  since timestamptz not null,
  -- Written before the request, so that only one process checks at a time.
  asked_at timestamptz not null,
  checked_at timestamptz,
  answered_at timestamptz,
  last_failure_at timestamptz,
  failures_in_row integer not null default 0,
  latency_ms integer,
  api_version text,
  version_read_at timestamptz,
  problem text,
  -- As the provider counts them, including meetings that Foyer did not create.
  meetings integer,
  participants integer,
  foreign_meetings integer,
  foreign_participants integer,
  counted_at timestamptz
);

-- Health checks, summed over five minutes.
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

-- The lease of the process that polls the provider, and the webhook that is registered there.
create table provider_polls (
  service_provider_id uuid primary key references service_providers on delete cascade,
  claimed_until timestamptz,
  looked_at timestamptz,
  hook_id text,
  hook_url text,
  hooked_at timestamptz
);

create table service_packages (
  id uuid primary key,
  name text not null,
  tag text not null unique,
  description text,
  short_description text,
  service_type text not null check (service_type in ('video', 'live', 'meet', 'simulcast')),
  status text not null check (status in ('active', 'inactive')),
  hidden boolean not null,
  retired boolean not null,
  has_stock boolean not null,
  stock_qty integer check (stock_qty >= 0),
  price numeric(14, 4) not null check (price >= 0),
  signup_fee numeric(14, 4) not null check (signup_fee >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  tier integer,
  sort_order integer,
  periodicity integer not null check (periodicity >= 1),
  periodicity_type text not null check (periodicity_type in ('day', 'week', 'month', 'year')),
  trial_period integer not null check (trial_period >= 0),
  trial_interval text not null check (trial_interval in ('day', 'week', 'month', 'year')),
  trial_mode text not null check (trial_mode in ('outside', 'inside')),
  grace_period integer not null check (grace_period >= 0),
  grace_interval text not null check (grace_interval in ('day', 'week', 'month', 'year')),
  auto_renew boolean not null,
  package_settings jsonb not null default '{}',
  package_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table service_package_features (
  id uuid primary key,
  package_id uuid not null references service_packages on delete cascade,
  tag text not null,
  name text not null,
  description text,
  value text not null,
  resettable_period integer not null default 0 check (resettable_period >= 0),
  resettable_interval text not null default 'month' check (resettable_interval in ('day', 'week', 'month', 'year')),
  sort_order integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (package_id, tag)
);

create table service_package_providers (
  id uuid primary key,
  package_id uuid not null references service_packages on delete cascade,
  service_provider_id uuid not null references service_providers,
  active boolean not null,
  is_default boolean not null,
  settings jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (package_id, service_provider_id)
);
create unique index service_package_providers_default on service_package_providers (package_id) where is_default;
create index service_package_providers_provider on service_package_providers (service_provider_id);
