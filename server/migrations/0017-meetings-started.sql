-- A day of meetings is looked up by when they started.
create index meetings_started on meetings using brin (started_at, ended_at)
  with (pages_per_range = 32, autosummarize = on);
