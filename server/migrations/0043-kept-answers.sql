-- Long answers are not kept, but printed anew from their resource.
alter table idempotency_keys
  add column resource_id uuid,
  -- Of what is sealed; 1 where the answer was too long, and nothing is.
  add column body_bytes integer not null default 0;
