-- What is known of recordings, what the providers have still to carry out, and when they are asked next.
alter table recordings
  -- What the provider called it when it was looked at last: a name that is changed there is taken over.
  add column provider_name text,
  -- What was changed here and the provider has not carried out yet: name, published, metadata.
  add column pending text[] not null default '{}' check (pending <@ array['name', 'published', 'metadata']),
  add column push_at timestamptz,
  -- The keys of the metadata that the provider was given.
  add column provider_labels text[] not null default '{}',
  -- The addresses on the provider, sealed: whoever knows them can watch. None are kept of protected recordings.
  add column playback_sealed text,
  add column playback_hash text,
  add column is_protected boolean not null default false,
  -- When it was told that it can be watched.
  add column ready_at timestamptz,
  -- As of when the provider was asked for what is stored.
  add column synced_at timestamptz,
  -- Since when the provider does not list it any more.
  add column missing_since timestamptz,
  -- Why it is deleted; what went from the provider by itself is back when that lists it again.
  add column deletion_reason text,
  add column plays integer not null default 0,
  add column last_played_at timestamptz;
update recordings set name = '' where name is null;
alter table recordings alter column name set default '', alter column name set not null;
create index recordings_kept on recordings (subscription_id) include (size_bytes) where deleted_at is null;
create index recordings_expiring on recordings (expires_at) where deleted_at is null and expires_at is not null;
create index recordings_to_push on recordings (push_at) where push_at is not null;
create index recordings_of_customer on recordings (customer_id, id) where deleted_at is null;

-- Recordings that the provider has still to delete, also of rooms that are gone.
create table recording_removals (
  id uuid primary key,
  service_provider_id uuid not null references service_providers on delete cascade,
  provider_recording_id text not null,
  next_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  unique (service_provider_id, provider_recording_id)
);
create index recording_removals_due on recording_removals (next_at);

-- When a provider is asked next for the recordings of a room that had a meeting there.
create table recording_checks (
  service_provider_id uuid not null references service_providers on delete cascade,
  -- Also of a room that was deleted: what is recorded of it is still to be deleted.
  room_id uuid not null,
  -- When the last meeting ended: the longer ago, the less often it is asked.
  ended_at timestamptz not null,
  next_at timestamptz not null,
  room_deleted_at timestamptz,
  primary key (service_provider_id, room_id)
);
create index recording_checks_due on recording_checks (next_at);
create index recording_checks_room on recording_checks (room_id);

create function check_recordings_of_ended_meeting() returns trigger language plpgsql as $$
begin
  insert into recording_checks (service_provider_id, room_id, ended_at, next_at)
  values (new.service_provider_id, new.room_id, new.updated_at, new.updated_at)
  on conflict (service_provider_id, room_id) do update
    set ended_at = greatest(recording_checks.ended_at, excluded.ended_at),
      next_at = least(recording_checks.next_at, excluded.next_at);
  return null;
end
$$;
create trigger check_recordings after update on meetings for each row
  when (new.state = 'ended' and old.state <> 'ended' and new.service_provider_id is not null)
  execute function check_recordings_of_ended_meeting();

-- What was recorded before this is found, too.
insert into recording_checks (service_provider_id, room_id, ended_at, next_at)
select service_provider_id, room_id, max(coalesce(ended_at, updated_at)), now()
from meetings where service_provider_id is not null and state = 'ended'
group by service_provider_id, room_id;
