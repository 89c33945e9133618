-- Who was in a meeting, and when, as every source tells it. An entry is one stay: who comes back has further ones,
-- which refer to the first. Nothing of it is written anew for entries that are there.
alter table room_entries
  add column first_entry_id uuid references room_entries on delete cascade,
  -- Of somebody who came past the door: a digest of the provider's id of that person.
  add column outsider_key text,
  -- Kept as long as the setting says.
  add column full_name text,
  -- On the first entry: every instant at which that person is known to have come and gone, of whatever source.
  add column came_at timestamptz[] not null default '{}',
  add column went_at timestamptz[] not null default '{}';
create index room_entries_of_first on room_entries (first_entry_id) where first_entry_id is not null;
create unique index room_entries_outsider on room_entries (meeting_id, outsider_key)
  where outsider_key is not null and first_entry_id is null;
create index room_entries_named on room_entries (left_at) where full_name is not null;
alter table room_entries add check (first_entry_id is null or joined_at is not null) not valid;

-- Those who are in now go on where they are.
update room_entries entry
set came_at = array[entry.joined_at], went_at = case when entry.left_at is null then '{}' else array[entry.left_at] end
from meetings meeting
where meeting.id = entry.meeting_id and meeting.state <> 'ended' and entry.joined_at is not null;

alter table meetings
  -- What our clock shows more than that of the provider.
  add column clock_offset_ms bigint not null default 0,
  -- When the provider's own record of who attended was taken over: then nothing else changes it.
  add column attendance_at timestamptz,
  add column minutes_warned_at timestamptz;
-- What a provider tells names the session.
create index meetings_session on meetings (provider_internal_id);
create index meetings_of_customer on meetings (customer_id, id);
create index meetings_running on meetings (id) where state <> 'ended';
drop index meetings_of_subscription;
create index meetings_of_subscription on meetings (subscription_id, id);

-- What each provider is asked for all its meetings, by one process at a time.
create table provider_polls (
  service_provider_id uuid primary key references service_providers on delete cascade,
  claimed_until timestamptz,
  -- The last look that brought all meetings of the provider in line.
  looked_at timestamptz,
  -- Where the provider tells what happens, if it does.
  hook_id text,
  hook_url text,
  -- When it was asked for that last.
  hooked_at timestamptz
);
