import { type Client, createClient } from '@foyer/sdk';
import type { Client as DatabaseClient } from 'pg';
import { createTenant, type Tenant } from '../create-tenant.ts';
import type { Attacker } from './attacks.ts';

/** Two tenants of one installation. */
export interface Tenants {
  readonly attacker: Attacker;
  readonly victim: { readonly url: string; readonly token: string; readonly roomId: string };
}

const features = { max_accounts: 'unlimited', max_rooms: 'unlimited', guest_access: 'true' };
const roomsOfAttacker = 1500;
const usersOfAttacker = 400;
const roomsOfVictim = 40;

/**
 * Creates two tenants on one hostile meeting server: an attacker with 1,500 rooms and 400 users, and a victim with a few
 * rooms.
 * Raises the rate limits, which would hide the cost of single requests.
 */
export async function prepareTenants(
  admin: Client,
  database: DatabaseClient,
  { url, hostileUrl }: { url: string; hostileUrl: string },
): Promise<Tenants> {
  await admin.updateSettings({
    body: { requests_per_minute: 1_000_000, anonymous_requests_per_minute: 1_000_000, provider_timeout_ms: 2000 },
  });
  const { data: provider } = await admin.createServiceProvider({
    body: {
      provider_name: 'Hostile',
      provider_type: 'bigbluebutton',
      properties: { host_url: hostileUrl, secret: 'secret' },
    },
  });
  const [one, other] = [
    await createTenant(admin, provider.id, features),
    await createTenant(admin, provider.id, features),
  ];
  const roomId = await addRooms(admin, database, one, roomsOfAttacker);
  const victimRoomId = await addRooms(admin, database, other, roomsOfVictim);
  await addUsers(database, one, usersOfAttacker);
  await database.query('analyze');
  return {
    attacker: { url, token: await signIn(url, one), roomId, customerId: one.customerId },
    victim: { url, token: await signIn(url, other), roomId: victimRoomId },
  };
}

/** @returns the id of the first room */
async function addRooms(admin: Client, database: DatabaseClient, tenant: Tenant, count: number): Promise<string> {
  const { data: room } = await admin.createRoom({ body: { room_name: 'Room 1', account_id: tenant.accountId } });
  await database.query(
    `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug,
       room_metadata, created_at, updated_at)
     select gen_random_uuid(), customer_id, account_id, subscription_id, 'Room ' || number, status, false, room_type,
       'room-' || number, jsonb_build_object('notes', repeat('x', 500)), now(), now()
     from rooms, generate_series(2, $2::int) number where id = $1`,
    [room.uuid, count],
  );
  return room.id;
}

async function addUsers(database: DatabaseClient, { email }: Tenant, count: number): Promise<void> {
  await database.query(
    `with made as (
       insert into users (id, first_name, last_name, email, locale, timezone, created_at, updated_at)
       select gen_random_uuid(), 'User', number::text, 'user-' || number || '@neighbour.example', 'en', 'UTC', now(), now()
       from generate_series(1, $2::int) number returning id
     )
     insert into customer_users (id, customer_id, user_id, owner, created_at, updated_at)
     select gen_random_uuid(), customer.id, made.id, false, now(), now() from made, customers customer where customer.email = $1`,
    [email, count],
  );
}

async function signIn(url: string, { email, password }: Tenant): Promise<string> {
  const { access_token } = await createClient({ baseUrl: url, token: null }).loginUser({
    body: { username: email, password },
  });
  return access_token;
}
