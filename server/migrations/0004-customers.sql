create table customers (
  id uuid primary key,
  external_id text,
  customer_key text not null unique,
  customer_prefix text,
  is_reseller boolean not null default false,
  parent_customer_id uuid references customers,
  -- The path from the topmost reseller down to the parent. It never changes.
  ancestors uuid[] not null default '{}',
  status text not null check (status in ('active', 'inactive', 'suspended', 'terminated')),
  -- The worst status of the ancestors, kept here so that one row says what a customer may do.
  status_above text not null default 'active' check (status_above in ('active', 'inactive', 'suspended', 'terminated')),
  effective_status text not null generated always as (
    case
      when 'terminated' in (status, status_above) then 'terminated'
      when 'inactive' in (status, status_above) then 'inactive'
      when 'suspended' in (status, status_above) then 'suspended'
      else 'active'
    end
  ) stored check (effective_status in ('active', 'inactive', 'suspended', 'terminated')),
  -- When the customer's own status began to forbid its use: running meetings end after a grace period.
  out_of_use_since timestamptz,
  -- Set by an administrator: only administrators may use the customer again.
  held_by_platform boolean not null default false,
  email text not null,
  first_name text not null,
  last_name text not null,
  full_name text not null generated always as (first_name || ' ' || last_name) stored,
  company_name text,
  customer_type text not null check (customer_type in ('business', 'personal')),
  hostname text,
  subdomain text not null,
  country text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  locale text not null,
  timezone text not null,
  allowed_domains_origins jsonb not null default '[]',
  allowed_domains_registration jsonb not null default '[]',
  customer_settings jsonb not null default '{}',
  customer_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (customer_type = 'personal' or company_name is not null),
  check (out_of_use_since is null or status in ('inactive', 'terminated')),
  check (ancestors[cardinality(ancestors)] is not distinct from parent_customer_id)
);
create unique index customers_email on customers (lower(email));
create unique index customers_hostname on customers (lower(hostname));
create unique index customers_subdomain on customers (lower(subdomain));
create index customers_created on customers (created_at, id);
create index customers_parent on customers (parent_customer_id, id) where parent_customer_id is not null;
create index customers_ancestors on customers using gin (ancestors) with (fastupdate = off) where ancestors <> '{}';
create index customers_by_origin on customers using gin (allowed_domains_origins jsonb_path_ops);

-- Which customers were above deleted ones, for as long as events of these are kept.
create table deleted_customers (
  id uuid primary key,
  ancestors uuid[] not null,
  deleted_at timestamptz not null
);
create index deleted_customers_ancestors on deleted_customers using gin (ancestors);
create index deleted_customers_deleted on deleted_customers (deleted_at);

create table customer_addresses (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  address_type text not null check (address_type in ('PostalAddress', 'BillingAddress')),
  is_default boolean not null,
  country text not null,
  state text,
  postal_code text,
  city text not null,
  address_line1 text,
  address_line2 text,
  po_box text,
  building_number text,
  complement text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (address_line1 is not null or po_box is not null)
);
create unique index customer_addresses_default on customer_addresses (customer_id, address_type) where is_default;
create index customer_addresses_customer on customer_addresses (customer_id, id);

create table customer_telephones (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  telephone_type text not null check (telephone_type in ('landline', 'mobile')),
  is_default boolean not null,
  number text not null,
  telephone_extension text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index customer_telephones_default on customer_telephones (customer_id, telephone_type) where is_default;
create index customer_telephones_customer on customer_telephones (customer_id, id);

create table customer_legal_documents (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  type text not null check (type in ('eu_vat', 'br_cpf', 'br_cnpj', 'other')),
  country text not null,
  value text not null,
  issued_at date,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index customer_legal_documents_value on customer_legal_documents (customer_id, type, country, value);
create index customer_legal_documents_customer on customer_legal_documents (customer_id, id);

create table customer_users (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  user_id uuid not null references users on delete cascade,
  owner boolean not null,
  permissions text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (customer_id, user_id)
);
create unique index customer_users_owner on customer_users (customer_id) where owner;
create index customer_users_customer on customer_users (customer_id, id);
create index customer_users_user on customer_users (user_id);

create table subscriptions (
  id uuid primary key,
  tag text not null unique,
  name text not null,
  description text,
  package_id uuid not null references service_packages,
  subscriber_id uuid not null references customers,
  parent_subscription_id uuid references subscriptions,
  -- The path from the platform's subscription down to the parent. It never changes.
  ancestors uuid[] not null default '{}',
  service_type text not null check (service_type in ('video', 'live', 'meet', 'simulcast')),
  status text not null check (status in ('active', 'inactive', 'canceled', 'suspended', 'terminated')),
  is_active boolean not null,
  -- When the status began to forbid use: running meetings end after a grace period.
  out_of_use_since timestamptz,
  -- Set by an administrator: only administrators may use the subscription again.
  held_by_platform boolean not null default false,
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
  -- Computed from the dates and terms, as the rules of the module do: the last day that the dates allow, and the last
  -- day of use, which is null if the status forbids it.
  last_day date not null,
  usable_until date,
  grace_period integer not null check (grace_period >= 0),
  grace_interval text not null check (grace_interval in ('day', 'week', 'month', 'year')),
  auto_renew boolean not null,
  periodicity integer not null check (periodicity >= 1),
  periodicity_type text not null check (periodicity_type in ('day', 'week', 'month', 'year')),
  tier integer,
  price numeric(14, 4) not null check (price >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- The end that was announced last, and how many days before it.
  announced_end date,
  announced_days integer,
  subscription_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (ends_at >= starts_at),
  check (out_of_use_since is null or status in ('suspended', 'inactive', 'terminated')),
  check (usable_until is null or (usable_until = last_day and status in ('active', 'canceled'))),
  check (usable_until is not null or status <> 'active'),
  check (ancestors[cardinality(ancestors)] is not distinct from parent_subscription_id)
);
create index subscriptions_package on subscriptions (package_id);
create index subscriptions_subscriber on subscriptions (subscriber_id);
create index subscriptions_parent on subscriptions (parent_subscription_id) where parent_subscription_id is not null;
create index subscriptions_ancestors on subscriptions using gin (ancestors) with (fastupdate = off)
  where ancestors <> '{}';
create index subscriptions_created on subscriptions (created_at, id);
create index subscriptions_due on subscriptions (last_day) where status in ('active', 'canceled');
create index subscriptions_ending on subscriptions (greatest(ends_at, trial_ends_at)) where status = 'active' and not auto_renew;
create index subscriptions_due_for_renewal on subscriptions (ends_at) where status = 'active' and auto_renew;

create function keep_order_of_time() returns trigger language plpgsql as $$
begin
  new.updated_at := old.updated_at + interval '1 microsecond';
  return new;
end
$$;
-- A trigger, since it compares with the old row: a transaction that began earlier may commit later.
create trigger in_order before update on subscriptions for each row when (new.updated_at < old.updated_at)
  execute function keep_order_of_time();

create table subscription_features (
  id uuid primary key,
  subscription_id uuid not null references subscriptions on delete cascade,
  package_feature_id uuid references service_package_features on delete set null,
  tag text not null,
  name text not null,
  description text,
  value text not null,
  resettable_period integer not null default 0 check (resettable_period >= 0),
  resettable_interval text not null default 'month' check (resettable_interval in ('day', 'week', 'month', 'year')),
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
  -- The sum of the limits of the subscriptions directly below: together they never use more than was sold.
  handed_down bigint not null default 0 check (handed_down >= 0),
  -- Whole percent of the limit; null if the feature has no limit.
  used_percent smallint,
  valid_until date,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index subscription_usages_subscription on subscription_usages (subscription_id);
create index subscription_usages_due on subscription_usages (valid_until) where valid_until is not null;
create index subscription_usages_used_percent on subscription_usages (used_percent) where used_percent > 0;

-- Triggers, since a generated column cannot read the limit in another table.
create function count_used_percent() returns trigger language plpgsql as $$
begin
  new.used_percent := (
    select case when feature.value ~ '^[1-9][0-9]{0,15}$'
      then least(100, 100 * (new.used + new.handed_down) / feature.value::bigint) end
    from subscription_features feature where feature.id = new.subscription_feature_id
  );
  return new;
end
$$;
create trigger count_used_percent before insert or update of used, handed_down, subscription_feature_id
  on subscription_usages for each row execute function count_used_percent();

create function count_used_percent_of_limit() returns trigger language plpgsql as $$
begin
  update subscription_usages set used = used where subscription_feature_id = new.id;
  return null;
end
$$;
create trigger count_used_percent after update of value on subscription_features
  for each row when (old.value is distinct from new.value) execute function count_used_percent_of_limit();

-- Usage of features that a package change removed: if the feature returns in the same window, it counts again.
create table subscription_kept_usages (
  subscription_id uuid not null references subscriptions on delete cascade,
  tag text not null,
  used bigint not null check (used > 0),
  -- The first day of the next window; null if usage is never reset.
  valid_until date,
  primary key (subscription_id, tag)
);

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

-- When the last refusal by a limit was emitted as an event. Without a foreign key: it is written while another
-- transaction may hold the subscription.
create table refused_limits (
  subscription_id uuid not null,
  tag text not null,
  emitted_at timestamptz not null,
  primary key (subscription_id, tag)
);

create table subscription_package_changes (
  id uuid primary key,
  subscription_id uuid not null references subscriptions on delete cascade,
  from_package_id uuid references service_packages on delete set null,
  to_package_id uuid references service_packages on delete set null,
  direction text not null check (direction in ('upgrade', 'downgrade', 'lateral')),
  status text not null check (status in ('scheduled', 'done', 'failed', 'withdrawn')),
  -- The first day with the new package.
  effective_at date not null,
  done_at timestamptz,
  failure text,
  attempts smallint not null default 0,
  -- Whether one item of the new package's stock is reserved.
  holds_stock boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (status <> 'scheduled' or to_package_id is not null)
);
create unique index subscription_package_changes_scheduled on subscription_package_changes (subscription_id)
  where status = 'scheduled';
create index subscription_package_changes_due on subscription_package_changes (effective_at) where status = 'scheduled';
create index subscription_package_changes_subscription on subscription_package_changes (subscription_id);
create index subscription_package_changes_from on subscription_package_changes (from_package_id);
create index subscription_package_changes_to on subscription_package_changes (to_package_id);

create table accounts (
  id uuid primary key,
  account_name text not null,
  account_key text not null unique,
  tag text,
  code text,
  subscriber_id uuid not null references customers,
  subscription_id uuid not null references subscriptions,
  status text not null check (status in ('active', 'inactive')),
  -- When it became inactive: running meetings end after a grace period.
  out_of_use_since timestamptz,
  account_settings jsonb not null default '{}',
  account_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (out_of_use_since is null or status = 'inactive')
);
create index accounts_subscriber on accounts (subscriber_id);
create index accounts_subscription on accounts (subscription_id);
create index accounts_created on accounts (created_at, id);

create table account_users (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  owner boolean not null,
  permissions text[] not null default '{}',
  -- Granted for creating the account: it ends with the right to create accounts there.
  opened boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, user_id)
);
create unique index account_users_owner on account_users (account_id) where owner;
create index account_users_account on account_users (account_id, id);
create index account_users_user on account_users (user_id);
create index account_users_opened on account_users (user_id) where opened;
