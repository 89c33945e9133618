-- Which process sees to it that a meeting does not outlast its minutes; one that dies leaves it to the others then.
create table minute_claims (
  meeting_id uuid primary key references meetings on delete cascade,
  claimed_until timestamptz not null
);
