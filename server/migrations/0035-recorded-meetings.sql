-- Whether it was opened so that it can be recorded: while it runs it keeps a place of `max_recordings`.
alter table meetings add column may_record boolean not null default false;
create index meetings_may_record on meetings (subscription_id, ended_at) where may_record;
