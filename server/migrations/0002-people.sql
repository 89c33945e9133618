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
create index role_permissions_of_permission on role_permissions (permission_id);

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

create table admin_two_factor (
  admin_id uuid primary key references admins on delete cascade,
  secret_sealed text not null,
  -- Null until a first code proves that the secret reached the authenticator.
  confirmed_at timestamptz,
  -- The time step of the last accepted code, against replay.
  last_used_step bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table admin_recovery_codes (
  admin_id uuid not null references admins on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (admin_id, code_hash)
);

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
  -- False while only a customer's users vouch for the user: no administrator and no mail has confirmed the address.
  vouched boolean not null default true,
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
  grants text[] not null default '{}'
    check (grants <@ array['authorization_code', 'client_credentials', 'password', 'refresh_token']),
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
  kind text not null default 'session'
    check (kind in ('session', 'password', 'authorization', 'client', 'personal')),
  name text,
  scopes text[] not null,
  address text,
  user_agent text,
  last_used_at timestamptz,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null,
  check (num_nonnulls(admin_id, user_id) <= 1),
  constraint token_families_owner check ((kind = 'client') = (num_nonnulls(admin_id, user_id) = 0)),
  constraint token_families_name check ((kind = 'personal') = (name is not null))
);
create index token_families_client on token_families (client_id);
create index token_families_admin on token_families (admin_id) where admin_id is not null;
create index token_families_user on token_families (user_id) where user_id is not null;
create index token_families_expiry on token_families (expires_at);

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

-- A used code is kept for a while: when it is used again, its tokens are revoked.
create table authorization_codes (
  code_hash bytea primary key,
  client_id uuid not null references oauth_clients on delete cascade,
  admin_id uuid references admins on delete cascade,
  user_id uuid references users on delete cascade,
  scopes text[] not null,
  redirect_uri text,
  code_challenge text,
  address text,
  user_agent text,
  family_id uuid references token_families on delete set null,
  used_at timestamptz,
  reused_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  check (num_nonnulls(admin_id, user_id) = 1)
);
create index authorization_codes_client on authorization_codes (client_id);
create index authorization_codes_admin on authorization_codes (admin_id) where admin_id is not null;
create index authorization_codes_user on authorization_codes (user_id) where user_id is not null;
create index authorization_codes_family on authorization_codes (family_id) where family_id is not null;
create index authorization_codes_expiry on authorization_codes (expires_at);

-- Browser sessions of the consent page.
create table authorization_sessions (
  token_hash bytea primary key,
  admin_id uuid references admins on delete cascade,
  user_id uuid references users on delete cascade,
  -- SHA-256 of the password hash at sign-in: a new password ends the session.
  password_mark bytea not null,
  -- Of sign-ins at room pages.
  address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  check (num_nonnulls(admin_id, user_id) = 1)
);
create index authorization_sessions_admin on authorization_sessions (admin_id) where admin_id is not null;
create index authorization_sessions_user on authorization_sessions (user_id) where user_id is not null;
create index authorization_sessions_expiry on authorization_sessions (expires_at);

-- Written for unknown addresses too, and answered by the worker, so that response times do not reveal accounts.
create table password_reset_requests (
  id uuid primary key,
  population text not null check (population in ('admins', 'users')),
  email text not null,
  -- Without foreign keys: the page of a deleted room or link is simply not offered after the reset.
  room_id uuid,
  room_token_id uuid,
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
  room_id uuid,
  room_token_id uuid,
  expires_at timestamptz not null,
  used_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  check ((admin_id is null) <> (user_id is null))
);
create unique index password_resets_admin on password_resets (admin_id) where used_at is null and ended_at is null;
create unique index password_resets_user on password_resets (user_id) where used_at is null and ended_at is null;
create index password_resets_of_admin on password_resets (admin_id) where admin_id is not null;
create index password_resets_of_user on password_resets (user_id) where user_id is not null;
create index password_resets_expiry on password_resets (expires_at);

-- Locks the credentials of an account until the transaction ends. A function, so that the second factor is read with
-- a snapshot taken after the lock.
create function share_credentials(of_population text, of_id uuid, out password_hash text, out has_second_factor boolean)
language plpgsql as $$
begin
  if of_population = 'admins' then
    select admins.password_hash into password_hash from admins where id = of_id for share;
    has_second_factor :=
      exists(select from admin_two_factor where admin_id = of_id and confirmed_at is not null);
  else
    select users.password_hash into password_hash from users where id = of_id for share;
    has_second_factor := false;
  end if;
end
$$;
