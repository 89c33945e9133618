-- The outbox: written with what a mail is about, sent by the worker. What it says is sealed, and erased once sent.
create table mails (
  id uuid primary key,
  kind text not null,
  recipient text not null,
  locale text not null,
  content_sealed text,
  status text not null check (status in ('waiting', 'sent', 'failed', 'withdrawn')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- Whoever sends it holds it until then; after a crash it is taken again.
  held_until timestamptz,
  expires_at timestamptz not null,
  finished_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'waiting') = (content_sealed is not null))
);
create index mails_due on mails (due_at) where status = 'waiting';
create index mails_finished on mails (finished_at) where status <> 'waiting';

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

-- Whoever forgot a password: written for everybody alike, and answered by the worker, so that nobody learns from the
-- time of an answer who is known here. Kept for an hour, to be counted.
create table password_reset_requests (
  id uuid primary key,
  population text not null check (population in ('admins', 'users')),
  email text not null,
  request_id text,
  address text,
  address_group text not null,
  created_at timestamptz not null,
  answered_at timestamptz
);
create index password_reset_requests_waiting on password_reset_requests (id) where answered_at is null;
create index password_reset_requests_email on password_reset_requests (lower(email), created_at);
create index password_reset_requests_address on password_reset_requests (address_group, created_at);
create index password_reset_requests_created on password_reset_requests (created_at);

create table password_resets (
  id uuid primary key,
  admin_id uuid references admins on delete cascade,
  user_id uuid references users on delete cascade,
  token_hash bytea not null unique,
  mailed boolean not null,
  mail_id uuid,
  expires_at timestamptz not null,
  used_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  check ((admin_id is null) <> (user_id is null))
);
create unique index password_resets_admin on password_resets (admin_id) where used_at is null and ended_at is null;
create unique index password_resets_user on password_resets (user_id) where used_at is null and ended_at is null;
create index password_resets_expiry on password_resets (expires_at);
