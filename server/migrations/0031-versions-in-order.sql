-- What was written last holds, also where its change began before another one that was quicker.
create function keep_order_of_time() returns trigger language plpgsql as $$
begin
  new.updated_at := old.updated_at + interval '1 microsecond';
  return new;
end
$$;
create trigger in_order before update on subscriptions for each row when (new.updated_at < old.updated_at)
  execute function keep_order_of_time();

-- Versions are numbered in the order in which they were written.
update subscription_versions version set since = written.since
from (
  select number, max(since) over (partition by subscription_id order by number) as since from subscription_versions
) written
where written.number = version.number and written.since <> version.since;
