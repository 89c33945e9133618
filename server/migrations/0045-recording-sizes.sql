-- 0 stood for a size that the provider does not tell.
alter table recordings
  alter column size_bytes drop not null,
  alter column size_bytes drop default,
  add column size_estimated boolean not null default false;
update recordings set size_bytes = null where size_bytes = 0;
