-- What a family of tokens is, from where it was made, and until when it lives.
alter table token_families
  add column kind text not null default 'session'
    check (kind in ('session', 'password', 'authorization', 'client', 'personal')),
  add column name text,
  add column address text,
  add column user_agent text,
  add column last_used_at timestamptz,
  add column expires_at timestamptz;

update token_families family set
  kind = case when client.proxy then 'session' else 'password' end,
  expires_at = coalesce(
    greatest(
      (select max(expires_at) from refresh_tokens where family_id = family.id),
      (select max(expires_at) from access_tokens where family_id = family.id)
    ),
    family.created_at
  )
from oauth_clients client where client.id = family.client_id;

alter table token_families
  alter column expires_at set not null,
  add constraint token_families_owner check ((kind = 'client') = (num_nonnulls(admin_id, user_id) = 0)),
  add constraint token_families_name check ((kind = 'personal') = (name is not null));
create index token_families_client on token_families (client_id);
create index token_families_expiry on token_families (expires_at);

-- Codes that stand for a consent until the client exchanges them. Used ones stay a while: who shows one again
-- ends the tokens that it gave.
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

-- Who is logged in on the page that asks for consent. A session ends with the password that opened it:
-- `password_mark` is the SHA-256 of the password's hash at the login.
create table authorization_sessions (
  token_hash bytea primary key,
  admin_id uuid references admins on delete cascade,
  user_id uuid references users on delete cascade,
  password_mark bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  check (num_nonnulls(admin_id, user_id) = 1)
);
create index authorization_sessions_admin on authorization_sessions (admin_id) where admin_id is not null;
create index authorization_sessions_user on authorization_sessions (user_id) where user_id is not null;
create index authorization_sessions_expiry on authorization_sessions (expires_at);
