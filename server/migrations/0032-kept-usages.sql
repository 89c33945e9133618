-- What was used of a feature that went with a change of the package: in the window that runs, it is not used anew.
create table subscription_kept_usages (
  subscription_id uuid not null references subscriptions on delete cascade,
  tag text not null,
  used bigint not null check (used > 0),
  -- The first day of the next window; null where it is never reset.
  valid_until date,
  primary key (subscription_id, tag)
);
