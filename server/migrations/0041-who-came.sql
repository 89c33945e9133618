-- As whom somebody was signed in when they came; forgotten with their name.
alter table room_entries add column user_id uuid references users on delete set null;
create index room_entries_of_user on room_entries (user_id) where user_id is not null;
drop index room_entries_named;
create index room_entries_named on room_entries (left_at) where full_name is not null or user_id is not null;
update room_entries entry set user_id = token.user_id
  from room_tokens token
  where token.id = entry.room_token_id and token.user_id is not null and entry.full_name is not null;
