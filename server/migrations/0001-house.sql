create extension if not exists pg_trgm;

create table settings (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null
);

create table permissions (
  id uuid primary key,
  name text not null unique,
  display_name text not null,
  description text not null,
  guard_name text not null default 'api',
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table roles (
  id uuid primary key,
  name text not null unique check (name ~ '^[a-z0-9-]{2,50}$'),
  display_name text,
  description text,
  guard_name text not null default 'api',
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table role_permissions (
  role_id uuid not null references roles on delete cascade,
  permission_id uuid not null references permissions on delete cascade,
  primary key (role_id, permission_id)
);

create table admins (
  id uuid primary key,
  username text not null,
  email text not null,
  first_name text not null,
  last_name text not null,
  full_name text not null generated always as (first_name || ' ' || last_name) stored,
  status text not null default 'active' check (status in ('active', 'inactive')),
  locale text not null,
  timezone text not null,
  password_hash text not null,
  email_verified_at timestamptz,
  admin_settings jsonb not null default '{}',
  admin_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index admins_username on admins (lower(username));
create unique index admins_email on admins (lower(email));

create table admin_roles (
  admin_id uuid not null references admins on delete cascade,
  role_id uuid not null references roles,
  primary key (admin_id, role_id)
);
create index admin_roles_role on admin_roles (role_id);

create table users (
  id uuid primary key,
  email text not null,
  first_name text not null,
  last_name text not null,
  full_name text not null generated always as (first_name || ' ' || last_name) stored,
  status text not null default 'active' check (status in ('active', 'inactive')),
  locale text not null,
  timezone text not null,
  password_hash text,
  email_verified_at timestamptz,
  user_settings jsonb not null default '{}',
  user_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index users_email on users (lower(email));
create index users_created on users (created_at, id);

create table oauth_clients (
  id uuid primary key,
  name text not null,
  population text not null check (population in ('admins', 'users')),
  first_party boolean not null default false,
  confidential boolean not null default true,
  secret_hash bytea,
  redirect_uris text[] not null default '{}',
  grants text[] not null default '{}',
  scopes text[] not null default '{}',
  proxy boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index oauth_clients_proxy on oauth_clients (population) where proxy;

create table token_families (
  id uuid primary key,
  client_id uuid not null references oauth_clients on delete cascade,
  population text not null check (population in ('admins', 'users')),
  admin_id uuid references admins on delete cascade,
  user_id uuid references users on delete cascade,
  scopes text[] not null,
  revoked_at timestamptz,
  created_at timestamptz not null,
  check (num_nonnulls(admin_id, user_id) <= 1)
);
create index token_families_admin on token_families (admin_id) where admin_id is not null;
create index token_families_user on token_families (user_id) where user_id is not null;

create table access_tokens (
  token_hash bytea primary key,
  family_id uuid not null references token_families on delete cascade,
  scopes text[] not null,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index access_tokens_family on access_tokens (family_id);
create index access_tokens_expiry on access_tokens (expires_at);

create table refresh_tokens (
  token_hash bytea primary key,
  family_id uuid not null references token_families on delete cascade,
  scopes text[] not null,
  expires_at timestamptz not null,
  rotated_at timestamptz,
  created_at timestamptz not null
);
create index refresh_tokens_family on refresh_tokens (family_id);
create index refresh_tokens_expiry on refresh_tokens (expires_at);

create table service_providers (
  id uuid primary key,
  provider_name text not null,
  active boolean not null,
  provider_type text not null,
  service_type text not null,
  properties jsonb not null,
  settings jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table service_packages (
  id uuid primary key,
  name text not null,
  tag text not null unique,
  description text,
  short_description text,
  service_type text not null,
  status text not null check (status in ('active', 'inactive')),
  hidden boolean not null,
  retired boolean not null,
  has_stock boolean not null,
  stock_qty integer check (stock_qty >= 0),
  price numeric(14, 4) not null check (price >= 0),
  signup_fee numeric(14, 4) not null check (signup_fee >= 0),
  currency text not null,
  tier integer,
  sort_order integer,
  periodicity integer not null check (periodicity >= 1),
  periodicity_type text not null check (periodicity_type in ('day', 'week', 'month', 'year')),
  trial_period integer not null check (trial_period >= 0),
  trial_interval text not null check (trial_interval in ('day', 'week', 'month', 'year')),
  trial_mode text not null check (trial_mode in ('outside', 'inside')),
  grace_period integer not null check (grace_period >= 0),
  grace_interval text not null check (grace_interval in ('day', 'week', 'month', 'year')),
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
  resettable_interval text check (resettable_interval in ('day', 'week', 'month', 'year')),
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

create table customers (
  id uuid primary key,
  external_id text,
  customer_key text not null unique,
  customer_prefix text,
  status text not null check (status in ('active', 'inactive', 'suspended', 'terminated')),
  email text not null,
  first_name text not null,
  last_name text not null,
  full_name text not null generated always as (first_name || ' ' || last_name) stored,
  company_name text,
  customer_type text not null check (customer_type in ('business', 'personal')),
  hostname text,
  subdomain text not null,
  country text not null,
  currency text not null,
  locale text not null,
  timezone text not null,
  allowed_domains_origins jsonb not null default '[]',
  allowed_domains_registration jsonb not null default '[]',
  customer_settings jsonb not null default '{}',
  customer_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (customer_type = 'personal' or company_name is not null)
);
create unique index customers_email on customers (lower(email));
create unique index customers_hostname on customers (lower(hostname));
create unique index customers_subdomain on customers (lower(subdomain));
create index customers_created on customers (created_at, id);

create table customer_users (
  customer_id uuid not null references customers on delete cascade,
  user_id uuid not null references users on delete cascade,
  owner boolean not null,
  permissions text[] not null default '{}',
  created_at timestamptz not null,
  primary key (customer_id, user_id)
);
create unique index customer_users_owner on customer_users (customer_id) where owner;
create index customer_users_user on customer_users (user_id);

create table subscriptions (
  id uuid primary key,
  tag text not null unique,
  name text not null,
  description text,
  package_id uuid not null references service_packages,
  subscriber_id uuid not null references customers,
  service_type text not null,
  status text not null check (status in ('active', 'inactive', 'canceled', 'suspended', 'terminated')),
  is_active boolean not null,
  starts_at date not null,
  ends_at date not null,
  anchor_day integer not null check (anchor_day between 1 and 31),
  cancels_at date,
  canceled_at timestamptz,
  canceled_now boolean not null default false,
  trial_period integer not null check (trial_period >= 0),
  trial_interval text not null check (trial_interval in ('day', 'week', 'month', 'year')),
  trial_mode text not null check (trial_mode in ('outside', 'inside')),
  trial_ends_at date,
  grace_period integer not null check (grace_period >= 0),
  grace_interval text not null check (grace_interval in ('day', 'week', 'month', 'year')),
  periodicity integer not null check (periodicity >= 1),
  periodicity_type text not null check (periodicity_type in ('day', 'week', 'month', 'year')),
  tier integer,
  price numeric(14, 4) not null check (price >= 0),
  currency text not null,
  subscription_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (ends_at >= starts_at)
);
create index subscriptions_package on subscriptions (package_id);
create index subscriptions_subscriber on subscriptions (subscriber_id);
create index subscriptions_created on subscriptions (created_at, id);
create index subscriptions_due on subscriptions (ends_at) where status = 'active';
create index subscriptions_canceled_due on subscriptions (cancels_at) where status = 'canceled';

create table subscription_features (
  id uuid primary key,
  subscription_id uuid not null references subscriptions on delete cascade,
  package_feature_id uuid references service_package_features on delete set null,
  tag text not null,
  name text not null,
  description text,
  value text not null,
  resettable_period integer not null default 0 check (resettable_period >= 0),
  resettable_interval text check (resettable_interval in ('day', 'week', 'month', 'year')),
  sort_order integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (subscription_id, tag)
);
create index subscription_features_package_feature on subscription_features (package_feature_id);

create table subscription_usages (
  id uuid primary key,
  subscription_feature_id uuid not null unique references subscription_features on delete cascade,
  subscription_id uuid not null references subscriptions on delete cascade,
  used bigint not null default 0 check (used >= 0),
  valid_until date,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index subscription_usages_subscription on subscription_usages (subscription_id);
create index subscription_usages_due on subscription_usages (valid_until) where valid_until is not null;

create table subscription_providers (
  id uuid primary key,
  subscription_id uuid not null references subscriptions on delete cascade,
  package_provider_id uuid not null references service_package_providers,
  service_provider_id uuid not null references service_providers,
  active boolean not null,
  is_default boolean not null,
  settings jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (subscription_id, service_provider_id)
);
create unique index subscription_providers_default on subscription_providers (subscription_id) where is_default;
create index subscription_providers_provider on subscription_providers (service_provider_id);
create index subscription_providers_package_provider on subscription_providers (package_provider_id);

create table accounts (
  id uuid primary key,
  account_name text not null,
  account_key text not null unique,
  tag text,
  code text,
  subscriber_id uuid not null references customers,
  subscription_id uuid not null references subscriptions,
  status text not null check (status in ('active', 'inactive')),
  account_settings jsonb not null default '{}',
  account_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index accounts_subscriber on accounts (subscriber_id);
create index accounts_subscription on accounts (subscription_id);
create index accounts_created on accounts (created_at, id);

create table account_users (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  owner boolean not null,
  permissions text[] not null default '{}',
  created_at timestamptz not null,
  primary key (account_id, user_id)
);
create unique index account_users_owner on account_users (account_id) where owner;
create index account_users_user on account_users (user_id);

create table rooms (
  id uuid primary key,
  customer_id uuid not null references customers,
  account_id uuid not null references accounts,
  subscription_id uuid not null references subscriptions,
  room_name text not null,
  status text not null check (status in ('active', 'inactive')),
  is_public boolean not null,
  room_type text not null check (room_type in ('video', 'live', 'meet', 'simulcast')),
  slug text not null,
  room_features jsonb not null default '{}',
  room_settings jsonb not null default '{}',
  room_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index rooms_customer on rooms (customer_id);
create index rooms_account on rooms (account_id);
create index rooms_subscription on rooms (subscription_id);
create index rooms_created on rooms (created_at, id);
create index rooms_updated on rooms (updated_at, id);
create index rooms_name on rooms (room_name, id);
create index rooms_name_words on rooms using gin (room_name gin_trgm_ops);
create index rooms_slug_words on rooms using gin (slug gin_trgm_ops);

create table room_users (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  user_id uuid not null references users on delete cascade,
  owner boolean not null,
  permissions text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (room_id, user_id)
);
create unique index room_users_owner on room_users (room_id) where owner;
create index room_users_user on room_users (user_id);

create table room_tokens (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  token_hash bytea not null unique,
  token_sealed text not null,
  role text not null check (role in ('moderator', 'attendee', 'guest')),
  name text,
  expires_at timestamptz,
  last_usage timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index room_tokens_room on room_tokens (room_id, id);

create table room_access_codes (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  code text not null,
  role text not null check (role in ('moderator', 'attendee', 'guest')),
  expires_at timestamptz,
  last_usage timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index room_access_codes_code on room_access_codes (room_id, lower(code));

create table meetings (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  customer_id uuid not null references customers,
  subscription_id uuid not null references subscriptions,
  service_provider_id uuid references service_providers on delete set null,
  provider_meeting_id text not null,
  provider_internal_id text,
  provider_created_at bigint,
  state text not null check (state in ('opening', 'open', 'ended')),
  participant_limit integer,
  participant_count integer not null default 0,
  peak_participants integer not null default 0,
  participant_minutes bigint not null default 0,
  observed_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index meetings_current on meetings (room_id) where state <> 'ended';
create index meetings_subscription on meetings (subscription_id) where state <> 'ended';
create index meetings_provider on meetings (service_provider_id) where state <> 'ended';
create index meetings_room on meetings (room_id, id);

-- A place taken at the door: pending until it is seen on the provider or lapses.
create table room_entries (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  meeting_id uuid not null references meetings on delete cascade,
  subscription_id uuid not null references subscriptions,
  room_token_id uuid references room_tokens on delete set null,
  role text not null check (role in ('moderator', 'attendee', 'guest')),
  expires_at timestamptz not null,
  joined_at timestamptz,
  left_at timestamptz,
  created_at timestamptz not null
);
create index room_entries_meeting on room_entries (meeting_id) where left_at is null;
create index room_entries_subscription on room_entries (subscription_id) where left_at is null;

create table events (
  id uuid primary key,
  name text not null,
  resource_type text not null,
  resource_id uuid not null,
  sequence bigint not null,
  customer_id uuid,
  payload jsonb not null,
  occurred_at timestamptz not null,
  unique (resource_id, sequence)
);
create index events_occurred on events (occurred_at);

create table event_sequences (
  resource_id uuid primary key,
  last bigint not null
);

create table audit_entries (
  id uuid primary key,
  actor_type text not null check (actor_type in ('admin', 'user', 'client', 'system', 'visitor')),
  actor_id uuid,
  actor_name text,
  action text not null,
  resource_type text not null,
  resource_id uuid,
  customer_id uuid,
  old_values jsonb,
  new_values jsonb,
  request_id text,
  address text,
  occurred_at timestamptz not null
);
create index audit_entries_occurred on audit_entries (occurred_at);
create index audit_entries_resource on audit_entries (resource_id);
