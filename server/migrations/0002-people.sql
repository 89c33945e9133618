-- Memberships of customers and accounts become rows that can be named, as those of rooms are.

alter table customer_users add column id uuid, add column updated_at timestamptz;
update customer_users set id = gen_random_uuid(), updated_at = created_at;
alter table customer_users alter column id set not null, alter column updated_at set not null;
create unique index customer_users_id on customer_users (id);
create index customer_users_customer on customer_users (customer_id, id);

alter table account_users add column id uuid, add column updated_at timestamptz;
update account_users set id = gen_random_uuid(), updated_at = created_at;
alter table account_users alter column id set not null, alter column updated_at set not null;
create unique index account_users_id on account_users (id);
create index account_users_account on account_users (account_id, id);
