-- Answers to requests with an Idempotency-Key, for a day. Unfinished ones are requests that ask a provider.
create table idempotency_keys (
  id uuid primary key,
  caller text not null,
  key text not null,
  fingerprint text not null,
  status integer,
  etag text,
  body_sealed text,
  claimed_at timestamptz not null,
  unique (caller, key)
);
create index idempotency_keys_claimed on idempotency_keys (claimed_at);
