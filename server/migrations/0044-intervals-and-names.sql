-- An interval is always given: usage that resets without one resets by the month.
update service_package_features set resettable_interval = 'month' where resettable_interval is null;
alter table service_package_features
  alter column resettable_interval set default 'month',
  alter column resettable_interval set not null;
update subscription_features set resettable_interval = 'month' where resettable_interval is null;
alter table subscription_features
  alter column resettable_interval set default 'month',
  alter column resettable_interval set not null;

-- Names have at most 150 characters.
update subscriptions set name = rtrim(left(name, 150)) where length(name) > 150;
update room_entries set full_name = rtrim(left(full_name, 150)) where full_name is not null and length(full_name) > 150;
