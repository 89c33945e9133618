-- What was on a provider is listed, the newest first, also of a time long ago: the times are read off the index.
create index meetings_of_provider on meetings (service_provider_id, id, created_at, started_at);

-- How much of its limit is used, in whole percent; null where nothing is limited. Few of all subscriptions are near one.
alter table subscription_usages add column used_percent smallint;
update subscription_usages usage
  set used_percent = least(100, 100 * (usage.used + usage.handed_down) / feature.value::bigint)
  from subscription_features feature
  where feature.id = usage.subscription_feature_id and feature.value ~ '^[1-9][0-9]{0,15}$';

create function count_used_percent() returns trigger language plpgsql as $$
begin
  new.used_percent := (
    select case when feature.value ~ '^[1-9][0-9]{0,15}$'
      then least(100, 100 * (new.used + new.handed_down) / feature.value::bigint) end
    from subscription_features feature where feature.id = new.subscription_feature_id
  );
  return new;
end
$$;
create trigger count_used_percent before insert or update of used, handed_down, subscription_feature_id
  on subscription_usages for each row execute function count_used_percent();

create function count_used_percent_of_limit() returns trigger language plpgsql as $$
begin
  update subscription_usages set used = used where subscription_feature_id = new.id;
  return null;
end
$$;
create trigger count_used_percent after update of value on subscription_features
  for each row when (old.value is distinct from new.value) execute function count_used_percent_of_limit();

create index subscription_usages_used_percent on subscription_usages (used_percent) where used_percent > 0;
