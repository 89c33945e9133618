-- What is to be mailed, once for each cause. The details are erased when its mails are queued.
create table notifications (
  id uuid primary key,
  cause text not null unique,
  kind text not null check (kind in (
    'subscription_expiring', 'subscription_renewed', 'subscription_suspended', 'package_changed', 'limit_near',
    'limit_reached', 'recording_ready', 'video_ready', 'room_invitation', 'webhook_disabled', 'provider_down',
    'provider_up', 'new_device'
  )),
  -- Without a reference: mails are also sent about what was deleted.
  customer_id uuid,
  details jsonb not null,
  created_at timestamptz not null,
  handled_at timestamptz
);
create index notifications_open on notifications (id) where handled_at is null;
create index notifications_handled on notifications (handled_at) where handled_at is not null;

-- Devices that administrators and users signed in from, as a hash of the browser and the network.
create table known_devices (
  owner_id uuid not null,
  device_hash bytea not null,
  last_seen_at timestamptz not null,
  primary key (owner_id, device_hash)
);
create index known_devices_last_seen on known_devices (last_seen_at);

-- Addresses that want no mails of a kind, as a keyed hash. Administrators and users have settings instead.
create table unsubscribed_addresses (
  address_hash bytea not null,
  kind text not null check (kind = 'room_invitation'),
  created_at timestamptz not null,
  primary key (address_hash, kind)
);

-- Without references: when the token or the room is deleted, the calendar entry is still canceled.
create table room_invitations (
  id uuid primary key,
  room_id uuid not null,
  room_token_id uuid not null unique,
  customer_id uuid not null,
  email text not null,
  room_name text not null,
  invited_by text,
  message text,
  starts_at timestamptz,
  duration_minutes integer not null check (duration_minutes > 0),
  -- Of the calendar entry, as in RFC 5545.
  sequence integer not null default 0 check (sequence >= 0),
  -- Whether a calendar entry was sent that is still valid.
  in_calendar boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index room_invitations_email on room_invitations (room_id, lower(email));
