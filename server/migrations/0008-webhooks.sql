create table webhooks (
  id uuid primary key,
  -- Null: of the platform.
  customer_id uuid references customers,
  url text not null,
  description text,
  events text[] not null,
  active boolean not null,
  -- The first failure since the last success.
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  last_delivery_at timestamptz,
  secret_sealed text not null,
  -- Secrets that sign beside the current one, the newest first: `sealed`, and `until` when.
  former_secrets jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhooks_customer on webhooks (customer_id);

create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null,
  event_name text not null,
  resource_id uuid not null,
  -- Of the event in the order of publication.
  position bigint not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  attempts jsonb not null default '[]',
  -- Attempts since it was created, resent or recovered: they choose the delay of the next one.
  tries integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_failed on webhook_deliveries (webhook_id, updated_at) where state = 'failed';
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, resource_id, position) where state = 'pending';

-- One row for each webhook and resource with pending deliveries, which are sent one after the other.
create table webhook_lanes (
  webhook_id uuid not null references webhooks on delete cascade,
  resource_id uuid not null,
  -- When the first delivery is due, or when the lease of the worker that sends it ends.
  due_at timestamptz not null,
  -- Of the worker that sends its deliveries.
  lease uuid,
  primary key (webhook_id, resource_id)
);
create index webhook_lanes_due on webhook_lanes (webhook_id, due_at);
create index webhook_lanes_soonest on webhook_lanes (due_at);
