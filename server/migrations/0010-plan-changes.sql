-- A subscription's moves from one package to another: scheduled, made, or found impossible on their day.
create table subscription_package_changes (
  id uuid primary key,
  subscription_id uuid not null references subscriptions on delete cascade,
  from_package_id uuid references service_packages on delete set null,
  to_package_id uuid references service_packages on delete set null,
  direction text not null check (direction in ('upgrade', 'downgrade', 'lateral')),
  status text not null check (status in ('scheduled', 'done', 'failed')),
  -- The first day with the new package.
  effective_at date not null,
  done_at timestamptz,
  failure text,
  -- One of the new package's stock is held for it.
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
