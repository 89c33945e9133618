-- What is known of a customer besides its name. One address and one telephone of each type is the default.
create table customer_addresses (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  address_type text not null check (address_type in ('PostalAddress', 'BillingAddress')),
  is_default boolean not null,
  country text not null,
  state text,
  postal_code text,
  city text not null,
  address_line1 text,
  address_line2 text,
  po_box text,
  building_number text,
  complement text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (address_line1 is not null or po_box is not null)
);
create unique index customer_addresses_default on customer_addresses (customer_id, address_type) where is_default;
create index customer_addresses_customer on customer_addresses (customer_id, id);

create table customer_telephones (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  telephone_type text not null check (telephone_type in ('landline', 'mobile')),
  is_default boolean not null,
  number text not null,
  telephone_extension text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index customer_telephones_default on customer_telephones (customer_id, telephone_type) where is_default;
create index customer_telephones_customer on customer_telephones (customer_id, id);

create table customer_legal_documents (
  id uuid primary key,
  customer_id uuid not null references customers on delete cascade,
  type text not null check (type in ('eu_vat', 'br_cpf', 'br_cnpj', 'other')),
  country text not null,
  value text not null,
  issued_at date,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index customer_legal_documents_value on customer_legal_documents (customer_id, type, country, value);
create index customer_legal_documents_customer on customer_legal_documents (customer_id, id);
