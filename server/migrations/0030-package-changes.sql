-- A change that could not be made for a reason that may pass is tried again; one that was taken back stays to be seen.
alter table subscription_package_changes add column attempts smallint not null default 0;
alter table subscription_package_changes drop constraint subscription_package_changes_status_check;
alter table subscription_package_changes add constraint subscription_package_changes_status_check
  check (status in ('scheduled', 'done', 'failed', 'withdrawn'));
