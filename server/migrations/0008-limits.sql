-- What the processes took of each allowance in its running window. A crash may empty it: then the windows begin anew.
create unlogged table rate_limits (
  key text primary key,
  ends_at timestamptz not null,
  granted integer not null,
  -- What the last lease took.
  leased integer not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Which customers' pages may call is asked for each origin that was not asked for lately.
create index customers_by_origin on customers using gin (allowed_domains_origins jsonb_path_ops);
