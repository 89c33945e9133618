-- Every foreign key has an index: a deletion does not scan, and lock, the table that refers to it.
create index password_resets_of_admin on password_resets (admin_id) where admin_id is not null;
create index password_resets_of_user on password_resets (user_id) where user_id is not null;
create index role_permissions_of_permission on role_permissions (permission_id);
create index room_entries_of_token on room_entries (room_token_id) where room_token_id is not null;
create index room_entries_of_subscription on room_entries (subscription_id);

-- Meetings that end in one statement have their recordings checked in the order in which other transactions lock checks.
drop trigger check_recordings on meetings;
create or replace function check_recordings_of_ended_meeting() returns trigger language plpgsql as $$
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
