-- A write that changes nothing leaves the row as it is: it has no event, so `updated_at` and entity tags stay, too.
-- Triggers: only the database knows whether a value differs from the stored one once it is converted.
create function keep_updated_at() returns trigger language plpgsql as $$
declare
  -- Generated columns are computed after this trigger.
  ignored constant text[] := array['updated_at', 'full_name', 'effective_status'];
begin
  if to_jsonb(new) - ignored = to_jsonb(old) - ignored then
    new.updated_at := old.updated_at;
  end if;
  return new;
end
$$;

do $$
declare
  resource text;
begin
  foreach resource in array array[
    'users', 'customers', 'customer_addresses', 'customer_telephones', 'customer_legal_documents', 'customer_users',
    'accounts', 'account_users',
    'service_providers', 'service_packages', 'service_package_features', 'service_package_providers', 'subscriptions',
    'subscription_features', 'subscription_providers', 'rooms', 'room_users', 'room_tokens', 'room_access_codes',
    'oauth_clients', 'webhooks', 'recordings', 'videos', 'streams', 'outputs'
  ] loop
    execute format('create trigger keep_updated_at before update on %I for each row
      when (old.updated_at is distinct from new.updated_at) execute function keep_updated_at()', resource);
  end loop;
end
$$;

-- Only if other columns are written: roles of administrators and permissions of roles are in other tables, and their
-- changes set `updated_at` alone.
create trigger keep_updated_at before update of first_name, last_name, status, locale, timezone, admin_settings,
  admin_metadata, password_hash on admins for each row
  when (old.updated_at is distinct from new.updated_at) execute function keep_updated_at();
create trigger keep_updated_at before update of display_name, description on roles for each row
  when (old.updated_at is distinct from new.updated_at) execute function keep_updated_at();
