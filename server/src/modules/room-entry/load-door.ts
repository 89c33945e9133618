import { features, limitOf } from '@foyer/contract/features.ts';
import { roomSettingDefaults } from '@foyer/contract/room-settings.ts';
import type { RoomRole } from '@foyer/contract/room.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import type { CalendarDate } from '../../platform/calendar-date.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { hashToken } from '../../platform/opaque-token.ts';
import { customerUse, type CustomerStatus } from '../customers/index.ts';
import { effectiveFeatures } from '../features/index.ts';
import { currentMeeting } from '../meetings/index.ts';
import { findRoomToken, listAccessCodes, type RoomRow, type RoomTokenRow } from '../rooms/index.ts';
import { type ProviderStanding, providersFor } from '../service-providers/index.ts';
import { areUsable, isUsable, lifecycleOf, type SubscriptionRow } from '../subscriptions/index.ts';
import type { Credential, Door, Opening } from './door.ts';

export interface LoadedDoor {
  readonly room: RoomRow;
  readonly subscription: SubscriptionRow;
  readonly accountStatus: string;
  readonly door: Door;
  /** Where a new meeting may be opened, in the order in which it is tried. */
  readonly providers: readonly ProviderStanding[];
  /** Where none may be opened now, and why. */
  readonly unfitProviders: readonly ProviderStanding[];
  /** Feature code to the value that is used for the room. */
  readonly features: ReadonlyMap<string, string>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly customerName: string;
}

interface Above {
  readonly room: RoomRow;
  readonly subscription: SubscriptionRow;
  readonly account_status: string;
  readonly customer_status: CustomerStatus;
  readonly areAncestorsUsable: boolean;
  readonly customer_name: string;
}

/** Everything that the door decides by. @throws 404 */
export async function loadDoor(db: Database, roomId: Uuid, today: CalendarDate, now: string): Promise<LoadedDoor> {
  const [above, values, codes] = await Promise.all([
    loadRoom(db, roomId, today),
    loadFeatures(db, roomId),
    listAccessCodes(db, roomId),
  ]);
  if (!above) throw notFound('The room was not found.');
  const { room } = above;
  const standings = await providersFor(db, room.subscription_id, now);
  const providers = standings.filter(({ obstacle }) => obstacle === null);
  const minutesAbove = await loadMinutesAbove(db, above.subscription.ancestors);
  const used = new Map<string, string>();
  // What of the subscription is not handed down.
  const left = new Map(values.map(({ tag, value, handed_down: count }) => [tag, less(value, count)]));
  for (const feature of effectiveFeatures(
    features,
    new Map(values.map(({ tag, value }) => [tag, value])),
    room.room_features,
  )) {
    if (feature.used !== null) used.set(feature.tag, leastOf(feature.used, left.get(feature.tag)));
  }
  const settings: Record<string, unknown> = { ...roomSettingDefaults, ...room.room_settings };
  return {
    room,
    subscription: above.subscription,
    accountStatus: above.account_status,
    providers,
    unfitProviders: standings.filter(({ obstacle }) => obstacle !== null),
    features: used,
    settings,
    customerName: above.customer_name,
    door: {
      ...openingOf(above, today),
      roomPublic: room.is_public,
      hasUsableProvider: providers.length > 0 || (standings.length > 0 && (await isMeetingOpen(db, roomId))),
      guestAccess: used.get('guest_access') === 'true' && settings['guest_policy'] !== 'always_deny',
      anyoneCanStart: settings['anyone_can_start'] === true,
      participantLimit: limit(used, 'max_participants'),
      minutesUsedUp: [...values, ...minutesAbove].some((value) => areMinutesUsedUp(value, today)),
      codes: codes.map(({ id, code, role, expires_at }) => ({
        id,
        code,
        role: role as RoomRole,
        expiresAt: expires_at,
        expired: expires_at !== null && Date.parse(expires_at) <= Date.parse(now),
      })),
    },
  };
}

/** Into a meeting that runs people go on coming, though no new one would be opened. */
async function isMeetingOpen(db: Database, roomId: Uuid): Promise<boolean> {
  return (await currentMeeting(db, roomId))?.state === 'open';
}

/** Whether the room is open to anybody at this moment, however long ago the door was loaded. @throws 404 */
export async function loadOpening(tx: Tx, roomId: Uuid, today: CalendarDate): Promise<Opening> {
  const above = await loadRoom(tx, roomId, today);
  if (!above) throw notFound('The room was not found.');
  return openingOf(above, today);
}

function openingOf(
  { room, subscription, account_status, customer_status, areAncestorsUsable }: Above,
  today: CalendarDate,
): Opening {
  return {
    roomActive: room.status === 'active',
    customerUsable: customerUse(customer_status).use,
    accountActive: account_status === 'active',
    subscriptionUsable: areAncestorsUsable && isUsable(lifecycleOf(subscription), today),
  };
}

function leastOf(value: string, left: string | undefined): string {
  const [own, most] = [limitOf(value), left === undefined ? null : limitOf(left)];
  return left === undefined || most === null || (own !== null && own <= most) ? value : left;
}

/** What a reseller handed down is not its own to use. */
function less(value: string, handedDown: number): string {
  const most = handedDown === 0 ? null : limitOf(value);
  return most === null ? value : String(Math.max(0, most - handedDown));
}

export function limit(used: ReadonlyMap<string, string>, tag: string): number | null {
  const value = used.get(tag);
  return value === undefined ? null : limitOf(value);
}

/** What somebody brings to the door. */
export interface Shown {
  readonly token: string | null;
  readonly accessCode: string | null;
  readonly staffRole: RoomRole | null;
  /** As whom the visitor is signed in; null or absent for a stranger. */
  readonly userId?: Uuid | null;
}

/** What the visitor shows, looked up: by its hash, and in the same way whether it is there or not. */
export async function loadCredential(
  db: Database,
  roomId: Uuid,
  { token, accessCode, staffRole, userId = null }: Shown,
  now: string,
): Promise<{ credential: Credential; token: RoomTokenRow | null }> {
  if (token === null) return { credential: { token: null, accessCode, staffRole }, token: null };
  const row = await findRoomToken(db, roomId, hashToken(token));
  if (!row) return { credential: { token: 'unknown', accessCode, staffRole }, token: null };
  const shown = {
    role: row.role as RoomRole,
    notYetValid: row.not_before !== null && Date.parse(row.not_before) > Date.parse(now),
    expired: row.expires_at !== null && Date.parse(row.expires_at) <= Date.parse(now),
    usedUp: row.max_uses !== null && row.uses >= row.max_uses,
    ofAnotherUser: row.user_id !== null && row.user_id !== userId,
  };
  return { credential: { token: shown, accessCode, staffRole }, token: row };
}

async function loadRoom(db: Database | Tx, roomId: Uuid, today: CalendarDate): Promise<Above | null> {
  const room = await db.selectFrom('rooms').selectAll().where('id', '=', roomId).executeTakeFirst();
  if (!room) return null;
  const row = await db
    .selectFrom('subscriptions')
    .innerJoin('customers', 'customers.id', 'subscriptions.subscriber_id')
    .innerJoin('accounts', (join) => join.on('accounts.id', '=', room.account_id))
    .selectAll('subscriptions')
    .select([
      'accounts.status as account_status',
      'customers.effective_status as customer_status',
      sql<string>`coalesce(customers.company_name, customers.full_name)`.as('customer_name'),
    ])
    .where('subscriptions.id', '=', room.subscription_id)
    .executeTakeFirst();
  if (!row) return null;
  const { account_status, customer_status, customer_name, ...subscription } = row;
  const areAncestorsUsable = await areUsable(db, subscription.ancestors, today);
  return {
    room,
    subscription,
    account_status,
    customer_status: customer_status as CustomerStatus,
    customer_name,
    areAncestorsUsable,
  };
}

interface FeatureValue {
  readonly tag: string;
  readonly value: string;
  readonly used: number;
  readonly handed_down: number;
  readonly valid_until: string | null;
}

async function loadFeatures(db: Database, roomId: Uuid): Promise<FeatureValue[]> {
  return await db
    .selectFrom('rooms')
    .innerJoin('subscription_features', 'subscription_features.subscription_id', 'rooms.subscription_id')
    .innerJoin('subscription_usages', 'subscription_usages.subscription_feature_id', 'subscription_features.id')
    .select(['tag', 'value', 'used', 'handed_down', 'valid_until'])
    .where('rooms.id', '=', roomId)
    .execute();
}

/** Minutes are charged to every subscription above, too: used up there, they are used up here. */
async function loadMinutesAbove(db: Database, ancestors: readonly Uuid[]): Promise<FeatureValue[]> {
  if (ancestors.length === 0) return [];
  return await db
    .selectFrom('subscription_features')
    .innerJoin('subscription_usages', 'subscription_usages.subscription_feature_id', 'subscription_features.id')
    .select(['tag', 'value', 'used', 'handed_down', 'valid_until'])
    .where('subscription_features.subscription_id', 'in', [...ancestors])
    .where('tag', '=', 'participant_minutes')
    .execute();
}

function areMinutesUsedUp({ tag, value, used, valid_until: until }: FeatureValue, today: CalendarDate): boolean {
  const most = tag === 'participant_minutes' ? limitOf(value) : null;
  const hasPassed = until !== null && until <= today;
  return most !== null && (hasPassed ? 0 : used) >= most;
}
