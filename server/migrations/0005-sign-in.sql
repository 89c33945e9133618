-- Counts for minutes: a crash that empties it costs nothing that was acknowledged.
create unlogged table failed_attempts (
  scope text not null,
  -- A keyed hash of what was tried to get into: an account, or a name that nobody has, or a room.
  name_hash bytea not null,
  address text not null,
  failed_at timestamptz not null
);
create index failed_attempts_pair on failed_attempts (scope, name_hash, address, failed_at);
create index failed_attempts_name on failed_attempts (scope, name_hash, failed_at);
create index failed_attempts_address on failed_attempts (scope, address, failed_at);

create table admin_two_factor (
  admin_id uuid primary key references admins on delete cascade,
  secret_sealed text not null,
  -- Null until a first code has shown that the secret arrived.
  confirmed_at timestamptz,
  -- The time step of the last accepted code: no code of it or before is accepted again.
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
