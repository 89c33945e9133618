create table meetings (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  customer_id uuid not null references customers,
  subscription_id uuid not null references subscriptions,
  room_type text not null default 'meet' check (room_type in ('video', 'live', 'meet', 'simulcast')),
  service_provider_id uuid references service_providers on delete set null,
  provider_meeting_id text not null,
  provider_internal_id text,
  provider_created_at bigint,
  state text not null check (state in ('opening', 'open', 'ended')),
  -- While it runs it counts against max_recordings.
  may_record boolean not null default false,
  participant_limit integer,
  participant_count integer not null default 0,
  peak_participants integer not null default 0,
  participant_minutes bigint not null default 0,
  -- Foyer's clock minus the provider's.
  clock_offset_ms bigint not null default 0,
  observed_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  -- When the provider's attendance record was read: nothing else changes the attendance after that.
  attendance_at timestamptz,
  minutes_warned_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index meetings_media on meetings (id) where state = 'open' and room_type <> 'meet';
create unique index meetings_current on meetings (room_id) where state <> 'ended';
create index meetings_running on meetings (id) where state <> 'ended';
create index meetings_subscription on meetings (subscription_id) where state <> 'ended';
create index meetings_may_record on meetings (subscription_id, ended_at) where may_record;
create index meetings_room on meetings (room_id, id);
create index meetings_customer on meetings (customer_id, created_at);
create index meetings_of_customer on meetings (customer_id, id);
create index meetings_of_subscription on meetings (subscription_id, id);
create index meetings_of_provider on meetings (service_provider_id, id, created_at, started_at);
create index meetings_provider_created on meetings (service_provider_id, created_at) where state <> 'ended';
create index meetings_session on meetings (provider_internal_id);
create index meetings_time on meetings using brin (created_at, ended_at) with (pages_per_range = 32, autosummarize = on);
create index meetings_started on meetings using brin (started_at, ended_at)
  with (pages_per_range = 32, autosummarize = on);

-- Capacity that a meeting reserves on a provider until it is open there or the reservation expires.
create table service_provider_places (
  meeting_id uuid primary key references meetings on delete cascade,
  service_provider_id uuid not null references service_providers on delete cascade,
  expires_at timestamptz not null
);
create index service_provider_places_provider on service_provider_places (service_provider_id);

-- Meetings that ended here without an answer from the provider, where they may still run. Without foreign keys: rows
-- outlive rooms and meetings, and expire after a day.
create table unconfirmed_ends (
  service_provider_id uuid not null,
  provider_meeting_id text not null,
  reason text not null check (reason in ('provider-lost', 'room-deleted')),
  ended_at timestamptz not null,
  primary key (service_provider_id, provider_meeting_id)
);
create index unconfirmed_ends_ended on unconfirmed_ends (ended_at);

-- The lease of the process that ends the meeting when its minutes are used up.
create table minute_claims (
  meeting_id uuid primary key references meetings on delete cascade,
  claimed_until timestamptz not null
);

-- One stay of a participant. It reserves a slot until the participant is seen on the provider or the slot expires.
create table room_entries (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  meeting_id uuid not null references meetings on delete cascade,
  subscription_id uuid not null references subscriptions,
  room_token_id uuid references room_tokens on delete set null,
  -- The participant came with a token; without room_token_id, it was deleted since.
  has_token boolean not null default false,
  -- The signed-in user; removed together with full_name.
  user_id uuid references users on delete set null,
  -- The first stay of the same participant.
  first_entry_id uuid references room_entries on delete cascade,
  -- Digest of the provider's participant id, for participants who did not join through Foyer.
  outsider_key text,
  role text not null check (role in ('moderator', 'attendee', 'guest')),
  full_name text,
  -- On the first stay: every known time at which the participant joined or left, from any source.
  join_times timestamptz[] not null default '{}',
  leave_times timestamptz[] not null default '{}',
  expires_at timestamptz not null,
  joined_at timestamptz,
  left_at timestamptz,
  created_at timestamptz not null,
  check (first_entry_id is null or joined_at is not null)
);
create index room_entries_room on room_entries (room_id);
create index room_entries_meeting on room_entries (meeting_id) where left_at is null;
create index room_entries_of_meeting on room_entries (meeting_id);
create index room_entries_awaited on room_entries (meeting_id) where left_at is null and joined_at is null;
create unique index room_entries_outsider on room_entries (meeting_id, outsider_key)
  where outsider_key is not null and first_entry_id is null;
create index room_entries_subscription on room_entries (subscription_id) where left_at is null;
create index room_entries_of_subscription on room_entries (subscription_id);
create index room_entries_of_token on room_entries (room_token_id) where room_token_id is not null;
create index room_entries_of_user on room_entries (user_id) where user_id is not null;
create index room_entries_of_first on room_entries (first_entry_id) where first_entry_id is not null;
create index room_entries_named on room_entries (left_at) where full_name is not null or user_id is not null;
create index room_entries_time on room_entries using brin (joined_at, left_at)
  with (pages_per_range = 32, autosummarize = on);

create table recordings (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  meeting_id uuid references meetings on delete set null,
  customer_id uuid not null references customers,
  subscription_id uuid not null references subscriptions,
  service_provider_id uuid references service_providers on delete set null,
  provider_recording_id text not null,
  name text not null default '',
  -- The name on the provider at the last synchronization, to detect a change there.
  provider_name text,
  state text not null check (state in ('processing', 'processed', 'published', 'unpublished', 'deleted')),
  published boolean not null default true,
  -- Why it ended before its broadcast.
  problem text check (problem in ('disk-full', 'disk-slow', 'disk-error')),
  is_protected boolean not null default false,
  started_at timestamptz,
  ended_at timestamptz,
  participants integer,
  -- Null if the provider does not report a size.
  size_bytes bigint check (size_bytes >= 0),
  size_estimated boolean not null default false,
  playback jsonb not null default '[]',
  -- The addresses on the provider, encrypted, since they give access. Null for protected recordings.
  playback_sealed text,
  playback_hash text,
  plays integer not null default 0,
  last_played_at timestamptz,
  -- Members that were changed here and not yet on the provider.
  pending text[] not null default '{}' check (pending <@ array['name', 'published', 'metadata']),
  push_at timestamptz,
  -- The metadata keys that were written to the provider.
  provider_labels text[] not null default '{}',
  recording_metadata jsonb not null default '{}',
  ready_at timestamptz,
  synced_at timestamptz,
  missing_since timestamptz,
  expires_at timestamptz,
  -- Soft delete: a recording that only vanished on the provider is restored if it is listed there again.
  deleted_at timestamptz,
  deletion_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (service_provider_id, provider_recording_id)
);
-- Several providers may lead to one server: a recording is still stored once for its room.
create unique index recordings_once on recordings (room_id, provider_recording_id);
create index recordings_room on recordings (room_id, id);
create index recordings_meeting on recordings (meeting_id);
create index recordings_customer on recordings (customer_id, created_at);
create index recordings_of_customer on recordings (customer_id, id) where deleted_at is null;
create index recordings_subscription on recordings (subscription_id);
create index recordings_kept on recordings (subscription_id) include (size_bytes) where deleted_at is null;
create index recordings_expiring on recordings (expires_at) where deleted_at is null and expires_at is not null;
create index recordings_to_push on recordings (push_at) where push_at is not null;
create index recordings_unfinished on recordings (service_provider_id)
  where deleted_at is null and state in ('processing', 'processed');

-- Recordings still to be deleted on the provider, also of deleted rooms.
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

-- When to ask a provider next for the recordings of a room. Without a foreign key to the room: the recordings of a
-- deleted room are still to be found and deleted.
create table recording_checks (
  service_provider_id uuid not null references service_providers on delete cascade,
  room_id uuid not null,
  -- When the last meeting ended: the interval grows with its age.
  ended_at timestamptz not null,
  next_at timestamptz not null,
  room_deleted_at timestamptz,
  primary key (service_provider_id, room_id)
);
create index recording_checks_due on recording_checks (next_at);
create index recording_checks_room on recording_checks (room_id);

-- A trigger, since meetings end in several statements. Rows are inserted in the order in which checks are locked.
create function check_recordings_of_ended_meeting() returns trigger language plpgsql as $$
begin
  insert into recording_checks (service_provider_id, room_id, ended_at, next_at)
  select changed.service_provider_id, changed.room_id, max(changed.updated_at), max(changed.updated_at)
  from changed join former using (id)
  where changed.state = 'ended' and former.state <> 'ended' and changed.service_provider_id is not null
  group by changed.service_provider_id, changed.room_id
  order by changed.service_provider_id, changed.room_id
  on conflict (service_provider_id, room_id) do update
    set ended_at = greatest(recording_checks.ended_at, excluded.ended_at),
      next_at = least(recording_checks.next_at, excluded.next_at);
  return null;
end
$$;
create trigger check_recordings after update on meetings
  referencing old table as former new table as changed for each statement
  execute function check_recordings_of_ended_meeting();
