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
  -- Granted for creating the room: it ends with the right to create rooms there.
  opened boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (room_id, user_id)
);
create unique index room_users_owner on room_users (room_id) where owner;
create index room_users_user on room_users (user_id);
create index room_users_opened on room_users (user_id) where opened;

-- Tokens requested in bulk: the rows wait here until a job has created them.
create table room_token_batches (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  name text,
  status text not null check (status in ('waiting', 'running', 'done')),
  total integer not null,
  made integer not null default 0,
  failed integer not null default 0,
  failures jsonb not null default '[]',
  -- Null once all rows are processed.
  rows jsonb,
  actor jsonb not null,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (made + failed <= total)
);
create index room_token_batches_room on room_token_batches (room_id, id);
create index room_token_batches_open on room_token_batches (id) where status <> 'done';

create table room_tokens (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  token_hash bytea not null unique,
  token_sealed text not null,
  role text not null check (role in ('moderator', 'attendee', 'guest')),
  name text,
  email text,
  user_id uuid references users,
  not_before timestamptz,
  expires_at timestamptz,
  max_uses integer constraint room_tokens_max_uses check (max_uses > 0),
  uses integer not null default 0 constraint room_tokens_uses check (uses >= 0),
  last_usage timestamptz,
  batch_id uuid references room_token_batches on delete cascade,
  batch_row integer,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index room_tokens_room on room_tokens (room_id, id);
create index room_tokens_user on room_tokens (user_id) where user_id is not null;
create unique index room_tokens_batch on room_tokens (batch_id, batch_row) where batch_id is not null;

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

create table invitations (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  account_id uuid references accounts on delete cascade,
  room_id uuid references rooms on delete cascade,
  email text not null,
  first_name text,
  last_name text,
  owner boolean not null,
  permissions text[] not null,
  status text not null check (status in ('pending', 'accepted', 'expired', 'withdrawn')),
  token_hash bytea unique,
  mailed boolean not null,
  mail_id uuid,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  user_id uuid references users on delete set null,
  inviter_type text not null check (inviter_type in ('admin', 'user', 'client', 'system')),
  inviter_id uuid,
  invited_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'pending') = (token_hash is not null))
);
create unique index invitations_pending on invitations (lower(email), coalesce(room_id, account_id, customer_id))
  where status = 'pending';
create index invitations_customer on invitations (customer_id, id);
create index invitations_account on invitations (account_id) where account_id is not null;
create index invitations_room on invitations (room_id) where room_id is not null;
create index invitations_user on invitations (user_id) where user_id is not null;
