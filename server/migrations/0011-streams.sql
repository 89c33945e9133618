-- The stream of a live or simulcast room. It is created when it is read for the first time.
create table streams (
  id uuid primary key,
  room_id uuid not null unique references rooms on delete cascade,
  -- Where encoders send to, or the running session is.
  service_provider_id uuid references service_providers on delete set null,
  key_sealed text not null,
  record boolean not null default false,
  latency_mode text not null default 'normal' check (latency_mode in ('normal', 'low')),
  -- As it is printed, with passwords masked.
  source_url text,
  source_url_sealed text,
  -- Why the media server cannot fetch the source.
  source_error text,
  source_error_code text,
  state text not null default 'idle' check (state in ('idle', 'live', 'reconnecting')),
  -- Of the report of the media server that was applied last: older ones are ignored.
  revision bigint not null default 0,
  started_at timestamptz,
  viewers integer not null default 0,
  input jsonb,
  reported_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((source_url is null) = (source_url_sealed is null))
);
create index streams_provider on streams (service_provider_id);
create index streams_active on streams (service_provider_id) where state <> 'idle' or source_url is not null;

-- How encoders reach a media server, as it said last.
create table stream_servers (
  service_provider_id uuid primary key references service_providers on delete cascade,
  rtmp_url text,
  public_url text not null,
  checked_at timestamptz not null
);

-- One broadcast, from its admission to its end, with the minutes that were charged for it.
create table stream_sessions (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  subscription_id uuid not null references subscriptions,
  service_provider_id uuid references service_providers on delete set null,
  -- On the media server; null until it reports the session.
  provider_session_id text,
  state text not null check (state in ('admitted', 'live', 'ended')),
  admitted_at timestamptz not null,
  started_at timestamptz,
  -- When the media server reported last that it goes on.
  seen_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  minutes bigint not null default 0,
  -- How many minutes were left when it began; null where they are not limited.
  minutes_left bigint,
  check (state <> 'live' or started_at is not null)
);
create unique index stream_sessions_current on stream_sessions (room_id) where state <> 'ended';
create unique index stream_sessions_once on stream_sessions (room_id, provider_session_id);
create index stream_sessions_running on stream_sessions (subscription_id) where state <> 'ended';
create index stream_sessions_subscription on stream_sessions (subscription_id);
create index stream_sessions_provider on stream_sessions (service_provider_id);

-- Where the picture of a simulcast room is sent.
create table outputs (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  subscription_id uuid not null references subscriptions,
  name text not null,
  platform text not null check (platform in ('youtube', 'facebook', 'twitch', 'linkedin', 'custom')),
  url text not null,
  stream_key_sealed text,
  enabled boolean not null,
  state text not null default 'idle' check (state in ('idle', 'connecting', 'live', 'reconnecting', 'failed')),
  since timestamptz,
  kbps integer not null default 0,
  bytes_sent bigint not null default 0,
  last_error text,
  last_error_code text,
  -- Since when the picture has not arrived; null while it does, or the output is idle.
  failed_at timestamptz,
  output_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index outputs_room on outputs (room_id, id);
create index outputs_subscription on outputs (subscription_id);

-- What a media server still has to be told of a stream. Without a foreign key to the room: it outlives the room.
create table stream_orders (
  service_provider_id uuid not null references service_providers on delete cascade,
  room_id uuid not null,
  kind text not null check (kind in ('set', 'end', 'remove')),
  reason text,
  -- Another order of the kind replaces the former: what was carried out meanwhile was the former.
  ordered_at timestamptz not null,
  next_at timestamptz not null,
  attempts integer not null default 0,
  primary key (service_provider_id, room_id, kind)
);
create index stream_orders_due on stream_orders (next_at);
