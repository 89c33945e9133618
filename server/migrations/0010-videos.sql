create table videos (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  customer_id uuid not null references customers,
  subscription_id uuid not null references subscriptions,
  -- The media server that has the files. All videos of a room are on the same one.
  service_provider_id uuid not null references service_providers,
  name text not null,
  description text,
  state text not null
    check (state in ('awaiting-upload', 'uploading', 'queued', 'processing', 'ready', 'failed')),
  -- Of the state on the media server: an older one is ignored.
  revision bigint not null default 0,
  progress integer not null default 0,
  failure jsonb,
  duration_seconds double precision,
  width integer,
  height integer,
  size_bytes bigint not null check (size_bytes > 0),
  -- What it takes of max_storage. Null until it is processed: then that is size_bytes.
  stored_bytes bigint check (stored_bytes >= 0),
  -- Null until transcoding was allowed and charged.
  charged_minutes integer,
  renditions jsonb not null default '[]',
  captions jsonb not null default '[]',
  has_poster boolean not null default false,
  -- The revision with which the poster was set: part of its address, because browsers cache it.
  poster_revision bigint not null default 0,
  has_sprite boolean not null default false,
  playable boolean not null default false,
  published boolean not null default true,
  -- What the media server was last told. It delivers no hidden video to viewers.
  hidden_on_server boolean not null default false,
  sort_order integer not null default 0,
  video_metadata jsonb not null default '{}',
  upload_expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index videos_room on videos (room_id, sort_order, id);
create index videos_of_customer on videos (customer_id, id);
create index videos_of_subscription on videos (subscription_id) include (stored_bytes, size_bytes);
create index videos_of_provider on videos (service_provider_id, id) where state not in ('ready', 'failed');
create index videos_provider on videos (service_provider_id);
create index videos_to_hide_or_show on videos (service_provider_id) where published = hidden_on_server;

-- Videos whose files a media server has still to delete. Without a foreign key to the video, which is gone.
create table video_removals (
  video_id uuid primary key,
  service_provider_id uuid not null references service_providers on delete cascade,
  next_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null
);
create index video_removals_due on video_removals (next_at);
create index video_removals_of_provider on video_removals (service_provider_id, next_at);
