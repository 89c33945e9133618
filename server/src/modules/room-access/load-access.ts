import { rowOrNotFound } from '../../database/row-store.ts';
import { audienceTags, featuresOf, minuteTags } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { roomSettingDefaults } from '@foyer/contract/resources/rooms/room-settings.ts';
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import type { Database } from '../../database/connect.ts';
import type { CalendarDate } from '../../platform/time/calendar-date.ts';
import { type RefusedLimit } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { hashToken } from '../../platform/crypto/opaque-token.ts';
import { customerUse } from '../customers/index.ts';
import { effectiveFeatures } from '../features/index.ts';
import { findRoomToken, type RoomRow, type RoomTokenRow } from '../rooms/index.ts';
import { type ProviderCandidate, providersFor } from '../service-providers/index.ts';
import { isUsable, lifecycleOf } from '../subscriptions/index.ts';
import { type Credential, type AccessRules, entryLimits, type Availability } from './access-rules.ts';
import {
  type CurrentMeeting,
  type AccessRow,
  type AccessSubscription,
  type FeatureValue,
  findAccess,
  type AvailabilityRow,
} from './access-store.ts';

export interface LoadedAccess {
  readonly room: RoomRow;
  readonly subscription: AccessSubscription;
  readonly accountStatus: string;
  readonly rules: AccessRules;
  /** The current meeting. */
  readonly meeting: CurrentMeeting | null;
  /** The providers for a new meeting, in the order in which they are tried. */
  readonly providers: readonly ProviderCandidate[];
  /** The providers that take no new meetings, with the reasons. */
  readonly unfitProviders: readonly ProviderCandidate[];
  /** The effective values by feature code. */
  readonly features: ReadonlyMap<string, string>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly customerName: string;
  /** The time zone of the customer. */
  readonly timeZone: string;
  /** The limit of minutes that is used up, in the subscription or in one above it; null if there is none. */
  readonly usedUpMinutes: RefusedLimit | null;
  /** Whether minutes are limited above the subscription. */
  readonly sharesMinutes: boolean;
}

/** Loads everything that access rules need. @throws 404 */
export async function loadAccess(db: Database, roomId: Uuid, today: CalendarDate, now: string): Promise<LoadedAccess> {
  const row = await requireAccess(db, roomId);
  return buildAccess(row, today, now, await providersFor(db, row.subscription_id, now));
}

/**
 * Like `loadAccess`, for a join: the providers for a new meeting are loaded only if none is open. A running meeting can
 * be joined even when no new one could be opened.
 * @throws 404
 */
export async function loadAccessToJoin(
  db: Database,
  roomId: Uuid,
  today: CalendarDate,
  now: string,
): Promise<LoadedAccess> {
  const row = await requireAccess(db, roomId);
  const isOpen = row.meeting?.state === 'open' && row.has_provider;
  return buildAccess(row, today, now, isOpen ? null : await providersFor(db, row.subscription_id, now));
}

async function requireAccess(db: Database, roomId: Uuid): Promise<AccessRow> {
  const row = await findAccess(db, roomId);
  return rowOrNotFound(row, 'room');
}

/** @param candidates null when they are not needed, because a meeting is open */
function buildAccess(
  row: AccessRow,
  today: CalendarDate,
  now: string,
  candidates: readonly ProviderCandidate[] | null,
): LoadedAccess {
  const {
    values,
    parent_minutes,
    codes,
    meeting,
    has_provider: hasProvider,
    stream_provider_id: streamProviderId,
    customer_name,
    customer_timezone,
    ...rest
  } = row;
  const { account_status, subscription_chain, customer_status: _, ...room } = rest;
  const providers = putStreamProviderFirst(
    (candidates ?? []).filter(({ obstacle }) => obstacle === null),
    streamProviderId,
  );
  const effectiveValues = new Map<string, string>();
  // The subscription's limits without the resold amounts.
  const available = new Map(values.map(({ tag, value, handed_down: count }) => [tag, withoutHandedDown(value, count)]));
  const effective = effectiveFeatures(
    featuresOf(room.room_type),
    new Map(values.map(({ tag, value }) => [tag, value])),
    room.room_features,
  );
  for (const feature of effective) {
    if (feature.used !== null) effectiveValues.set(feature.tag, smallerLimit(feature.used, available.get(feature.tag)));
  }
  const usedUp = [...values, ...parent_minutes].find((value) => areMinutesUsedUp(value, today));
  const isMedia = room.room_type !== 'meet';
  const settings: Record<string, unknown> = { ...roomSettingDefaults, ...room.room_settings };
  const audienceLimit = limit(effectiveValues, audienceTags(room.room_type).atOnce);
  const hasViewers = room.room_type !== 'simulcast' || audienceLimit !== 0;
  return {
    room,
    subscription: subscription_chain[0],
    accountStatus: account_status,
    meeting,
    providers,
    unfitProviders: (candidates ?? []).filter(({ obstacle }) => obstacle !== null),
    features: effectiveValues,
    settings,
    customerName: customer_name,
    timeZone: customer_timezone,
    usedUpMinutes: usedUp
      ? { subscriptionId: usedUp.subscription_id, tag: usedUp.tag, limit: usedUp.value, used: usedUp.used }
      : null,
    sharesMinutes: parent_minutes.some(({ value }) => limitOf(value) !== null),
    rules: {
      ...availabilityOf(row, row.status, today),
      isRoomPublic: room.is_public,
      hasUsableProvider: providers.length > 0 || (hasProvider && meeting?.state === 'open'),
      hasGuestAccess: effectiveValues.get('guest_access') === 'true' && settings['guest_policy'] !== 'always_deny',
      canAnyoneStart: settings['anyone_can_start'] === true || isMedia,
      participantLimit: hasViewers ? audienceLimit : null,
      hasViewers,
      zeroLimits: entryLimits.filter((limited) =>
        effective.some(({ tag, used: value }) => tag === limited && value !== null && limitOf(value) === 0),
      ),
      areMinutesUsedUp: usedUp !== undefined,
      codes: codes.map(({ id, code, role, expires_at }) => ({
        id,
        code,
        role,
        expiresAt: expires_at,
        isExpired: expires_at !== null && Date.parse(expires_at) <= Date.parse(now),
      })),
    },
  };
}

export function availabilityOf(
  { account_status, customer_status, subscription_chain }: AvailabilityRow,
  roomStatus: string,
  today: CalendarDate,
): Availability {
  return {
    isRoomActive: roomStatus === 'active',
    isCustomerUsable: customerUse(customer_status).canUse,
    isAccountActive: account_status === 'active',
    isSubscriptionUsable: subscription_chain.every((subscription) => isUsable(lifecycleOf(subscription), today)),
  };
}

/** Puts the media server to which the encoder will connect first, because viewers must wait there. */
function putStreamProviderFirst(
  providers: readonly ProviderCandidate[],
  id: Uuid | null,
): readonly ProviderCandidate[] {
  return id === null ? providers : providers.toSorted((one, other) => Number(other.id === id) - Number(one.id === id));
}

function smallerLimit(value: string, available: string | undefined): string {
  const [limit, limitLeft] = [limitOf(value), available === undefined ? null : limitOf(available)];
  return available === undefined || limitLeft === null || (limit !== null && limit <= limitLeft) ? value : available;
}

/** The limit without the amount that the reseller has resold. */
function withoutHandedDown(value: string, handedDown: number): string {
  const limitLeft = handedDown === 0 ? null : limitOf(value);
  return limitLeft === null ? value : String(Math.max(0, limitLeft - handedDown));
}

/** The limit as a number; null for unlimited. */
export function limit(values: ReadonlyMap<string, string>, tag: string): number | null {
  const value = values.get(tag);
  return value === undefined ? null : limitOf(value);
}

/** The credentials of a request. */
export interface PresentedCredential {
  readonly token: string | null;
  readonly accessCode: string | null;
  readonly staffRole: RoomRole | null;
  /** The signed-in user; null or absent if the visitor is not signed in. */
  readonly userId?: Uuid | null;
}

/** Looks up the token by its hash, in the same time whether it exists or not. */
export async function resolveCredential(
  db: Database,
  roomId: Uuid,
  { token, accessCode, staffRole, userId = null }: PresentedCredential,
  now: string,
): Promise<{ credential: Credential; token: RoomTokenRow | null }> {
  if (token === null) return { credential: { token: null, accessCode, staffRole }, token: null };
  const row = await findRoomToken(db, roomId, hashToken(token));
  if (!row) return { credential: { token: 'unknown', accessCode, staffRole }, token: null };
  const tokenState = {
    role: row.role,
    isNotYetValid: row.not_before !== null && Date.parse(row.not_before) > Date.parse(now),
    isExpired: row.expires_at !== null && Date.parse(row.expires_at) <= Date.parse(now),
    isUsedUp: row.max_uses !== null && row.uses >= row.max_uses,
    isOfAnotherUser: row.user_id !== null && row.user_id !== userId,
  };
  return { credential: { token: tokenState, accessCode, staffRole }, token: row };
}

function areMinutesUsedUp({ tag, value, used, valid_until: until }: FeatureValue, today: CalendarDate): boolean {
  const limitLeft = minuteTags.includes(tag) ? limitOf(value) : null;
  const isPeriodOver = until !== null && until <= today;
  return limitLeft !== null && (isPeriodOver ? 0 : used) >= limitLeft;
}
