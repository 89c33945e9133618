-- At which room's door a password was forgotten, and by which link, so that the way leads back there. Without foreign
-- keys: a room or link that is gone is simply no way back, and who deletes one need not look here.
alter table password_reset_requests add column room_id uuid, add column room_token_id uuid;
alter table password_resets add column room_id uuid, add column room_token_id uuid;
