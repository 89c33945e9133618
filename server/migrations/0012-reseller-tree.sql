-- A customer may resell to customers of its own. What stands above it never changes; the worst status there is kept
-- beside its own, so that whatever asks what a customer may do reads one row.
alter table customers
  add column is_reseller boolean not null default false,
  add column parent_customer_id uuid references customers,
  add column ancestors uuid[] not null default '{}',
  add column status_above text not null default 'active'
    check (status_above in ('active', 'inactive', 'suspended', 'terminated')),
  add column effective_status text not null generated always as (
    case
      when 'terminated' in (status, status_above) then 'terminated'
      when 'inactive' in (status, status_above) then 'inactive'
      when 'suspended' in (status, status_above) then 'suspended'
      else 'active'
    end
  ) stored,
  add check (ancestors[cardinality(ancestors)] is not distinct from parent_customer_id);

create index customers_parent on customers (parent_customer_id, id) where parent_customer_id is not null;
create index customers_ancestors on customers using gin (ancestors) with (fastupdate = off)
  where ancestors <> '{}';
