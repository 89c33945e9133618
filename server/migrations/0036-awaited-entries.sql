-- Who comes in is counted with those who are on their way, and not with all who are in.
create index room_entries_awaited on room_entries (meeting_id) where left_at is null and joined_at is null;
