-- Many tokens asked for at once. The rows wait here until they are made, so many of them at a time.
create table room_token_batches (
  id uuid primary key,
  room_id uuid not null references rooms on delete cascade,
  name text,
  status text not null check (status in ('waiting', 'running', 'done')),
  total integer not null,
  made integer not null default 0,
  failed integer not null default 0,
  failures jsonb not null default '[]',
  -- Null once nothing is left to be made.
  rows jsonb,
  -- Who asked for them.
  actor jsonb not null,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (made + failed <= total)
);
create index room_token_batches_room on room_token_batches (room_id, id);
create index room_token_batches_open on room_token_batches (id) where status <> 'done';

alter table room_tokens
  add column not_before timestamptz,
  add column max_uses integer,
  add column uses integer not null default 0,
  add column user_id uuid references users,
  add column batch_id uuid references room_token_batches on delete cascade,
  add column batch_row integer;
-- Counted where the row is written: never more than it may.
alter table room_tokens add constraint room_tokens_uses check (uses >= 0) not valid;
alter table room_tokens add constraint room_tokens_max_uses check (max_uses > 0) not valid;
create index room_tokens_user on room_tokens (user_id) where user_id is not null;
create unique index room_tokens_batch on room_tokens (batch_id, batch_row) where batch_id is not null;

-- In reports a room counts in the account in which it is: what was added up before is added up again.
create function touch_moved_rooms() returns trigger language plpgsql as $$
begin
  perform touch_usage(least(new.created_at, (select min(started_at) from meetings where room_id = new.id)), 'infinity');
  return null;
end
$$;
create trigger touch_moved_rooms after update of account_id on rooms for each row
  when (new.account_id <> old.account_id) execute function touch_moved_rooms();
