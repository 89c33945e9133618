-- What an administrator took out of use is lifted by administrators alone.
alter table customers add column held_by_platform boolean not null default false;
alter table subscriptions add column held_by_platform boolean not null default false;

-- What somebody got for opening something lasts as long as the right to open such things there, and no longer.
alter table account_users add column opened boolean not null default false;
alter table room_users add column opened boolean not null default false;
create index account_users_opened on account_users (user_id) where opened;
create index room_users_opened on room_users (user_id) where opened;
