import { removeUnlocked } from '../../database/row-store.ts';
import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { type Selectable, sql } from 'kysely';
import type { Events } from '../../database/tables.ts';
import type { Change, Tx } from '../../events/change.ts';
import { type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import type { NewNotification } from './store.ts';

interface SignIn {
  /** The id of the token family, or for a room page of the event. */
  readonly id: Uuid;
  readonly owner_id: Uuid;
  readonly population: 'admins' | 'users';
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
}

/** How long a device is remembered after its last sign-in. */
export const deviceDays = 365;

/**
 * Remembers the devices of published sign-ins.
 * @returns a notification for each device that is new, except the first of its owner
 */
export async function rememberDevices(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  events: readonly Selectable<Events>[],
): Promise<NewNotification[]> {
  const logins = events.filter(({ name }) => name === 'user.logged_in');
  const families = events.filter(({ name }) => name === 'oauth_token.created');
  if (logins.length + families.length === 0) return [];
  const notifications: NewNotification[] = [];
  for (const signIn of await listSignIns(tx, logins, families)) {
    if ((await rememberDevice(tx, signIn, now)) !== 'new') continue;
    notifications.push({
      cause: `new_device:${signIn.id}`,
      kind: 'new_device',
      customerId: null,
      details: {
        population: signIn.population,
        ownerId: signIn.owner_id,
        address: signIn.address,
        device: signIn.user_agent,
        at: signIn.created_at,
      },
    });
  }
  return notifications;
}

/**
 * Sign-ins to the API and on room pages. A sign-in on a room page has no token, and its event does not contain the id of
 * its session, so that the session is found by owner and time.
 */
async function listSignIns(
  tx: Tx,
  logins: readonly Selectable<Events>[],
  families: readonly Selectable<Events>[],
): Promise<SignIn[]> {
  const { rows } = await sql<SignIn>`
    with login as materialized (
      select * from unnest(${idsOf(logins)}::uuid[], ${logins.map((event) => event.resource_id)}::uuid[],
        ${logins.map((event) => event.occurred_at)}::timestamptz[]) login(event_id, owner_id, at)
    )
    select id, coalesce(admin_id, user_id) as owner_id, population, address, user_agent, created_at
    from token_families
    where id = any(${families.map((event) => event.resource_id)}::uuid[]) and num_nonnulls(admin_id, user_id) > 0
    union
    select login.event_id, session.user_id, 'users', session.address, session.user_agent, session.created_at
    from login join authorization_sessions session on session.user_id = login.owner_id and session.created_at = login.at
    where num_nonnulls(session.address, session.user_agent) > 0
    order by created_at, id
  `.execute(tx);
  return rows;
}

async function rememberDevice(tx: Tx, { owner_id: ownerId, ...signIn }: SignIn, now: string): Promise<string> {
  const { rows } = await sql<{ outcome: string }>`
    with others as (
      select exists (select from known_devices where owner_id = ${ownerId}) as any
    ), seen as (
      insert into known_devices (owner_id, device_hash, last_seen_at)
      values (${ownerId}, ${deviceHash(signIn)}, ${now})
      on conflict (owner_id, device_hash) do update set last_seen_at = excluded.last_seen_at
      returning xmax = 0 as inserted
    )
    select case when inserted and others.any then 'new' when inserted then 'first' else 'known' end as outcome
    from seen, others
  `.execute(tx);
  return rows[0]?.outcome ?? 'known';
}

/** The browser without its version numbers, which updates change, and the network of the address. */
function deviceHash({ user_agent: userAgent, address }: Pick<SignIn, 'user_agent' | 'address'>): Buffer {
  const browser = (userAgent ?? '').replaceAll(/\d+/g, '');
  return createHash('sha256')
    .update(JSON.stringify([browser, networkOf(address)]))
    .digest();
}

/** The first 16 bits of an IPv4 address, the first 32 of an IPv6 address: about one network of an operator. */
function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return '';
  const bytes = ipaddr.process(address).toByteArray();
  return bytes.slice(0, bytes.length === 4 ? 2 : 4).join('.');
}

export async function removeDevicesBefore(tx: Tx, instant: string, limit: number): Promise<number> {
  return await removeUnlocked(tx, 'known_devices', sql`last_seen_at < ${instant} order by last_seen_at limit ${limit}`);
}
