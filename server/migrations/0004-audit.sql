alter table audit_entries
  add column client_id uuid,
  add column client_name text,
  -- The number of the change among those of its resource.
  add column sequence bigint,
  add column mac bytea;

alter table event_sequences add column mac bytea;

drop index audit_entries_resource;
drop index audit_entries_occurred;
create index audit_entries_occurred on audit_entries (occurred_at, id);
create index audit_entries_resource on audit_entries (resource_id, id);
create index audit_entries_actor on audit_entries (actor_id, id);
create index audit_entries_customer on audit_entries (customer_id, id);
create index audit_entries_words on audit_entries using gin (action gin_trgm_ops, actor_name gin_trgm_ops);

-- The key of all codes below, sealed with the keys of the installation.
create table audit_keys (
  only_one boolean primary key default true check (only_one),
  sealed text not null,
  created_at timestamptz not null
);

-- Entries that do not stand in the chain yet.
create table audit_unsealed (
  entry_id uuid primary key
);
insert into audit_unsealed select id from audit_entries;

-- The chain: each link holds the link before it and its entry.
create table audit_seals (
  sequence bigint primary key check (sequence >= 1),
  entry_id uuid not null unique,
  hash bytea not null check (octet_length(hash) = 32)
);

-- The end of the chain, and how many entries there were, without a code, before there were codes.
create table audit_heads (
  only_one boolean primary key default true check (only_one),
  sequence bigint not null check (sequence >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  entries_before bigint not null,
  mac bytea
);
insert into audit_heads (sequence, hash, entries_before)
select 0, decode(repeat('00', 32), 'hex'), count(*) from audit_entries;

create function refuse_change_of_audit() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only: % of % is refused.', lower(tg_op), tg_table_name
    using errcode = 'insufficient_privilege';
end
$$;

create trigger append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_change_of_audit();
create trigger append_only before update or delete or truncate on audit_seals
  for each statement execute function refuse_change_of_audit();
