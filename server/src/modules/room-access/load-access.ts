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
  /** That of the customer. */
  readonly timeZone: string;
  /** The limit of minutes that is used up, of the subscription or of one above it. */
  readonly usedUpMinutes: RefusedLimit | null;
  /** Whether minutes are limited above the subscription. */
  readonly sharesMinutes: boolean;
}

/** Loads everything that access rules need. @throws 404 */
export async function loadAccess(db: Database, roomId: Uuid, today: CalendarDate, now: string): Promise<LoadedAccess> {
  const row = await requireAccess(db, roomId);
  return accessOf(row, today, now, await providersFor(db, row.subscription_id, now));
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
  return accessOf(row, today, now, isOpen ? null : await providersFor(db, row.subscription_id, now));
}

async function requireAccess(db: Database, roomId: Uuid): Promise<AccessRow> {
  const row = await findAccess(db, roomId);
  return rowOrNotFound(row, 'room');
}

/** @param candidates null when they are not needed, because a meeting is open */
function accessOf(
  row: AccessRow,
  today: CalendarDate,
  now: string,
  candidates: readonly ProviderCandidate[] | null,
): LoadedAccess {
  const {
    values,
    minutes_above,
    codes,
    meeting,
    has_provider: hasProvider,
    stream_provider_id: streamProviderId,
    customer_name,
    customer_timezone,
    ...more
  } = row;
  const { account_status, bearers, customer_status: _, ...room } = more;
  const providers = streamFirst(
    (candidates ?? []).filter(({ obstacle }) => obstacle === null),
    streamProviderId,
  );
  const used = new Map<string, string>();
  // The part of the subscription's limits that is not handed down.
  const available = new Map(values.map(({ tag, value, handed_down: count }) => [tag, withoutHandedDown(value, count)]));
  const effective = effectiveFeatures(
    featuresOf(room.room_type),
    new Map(values.map(({ tag, value }) => [tag, value])),
    room.room_features,
  );
  for (const feature of effective) {
    if (feature.used !== null) used.set(feature.tag, smallerLimit(feature.used, available.get(feature.tag)));
  }
  const usedUp = [...values, ...minutes_above].find((value) => areMinutesUsedUp(value, today));
  const isMedia = room.room_type !== 'meet';
  const settings: Record<string, unknown> = { ...roomSettingDefaults, ...room.room_settings };
  const atOnce = limit(used, audienceTags(room.room_type).atOnce);
  const hasViewers = room.room_type !== 'simulcast' || atOnce !== 0;
  return {
    room,
    subscription: bearers[0],
    accountStatus: account_status,
    meeting,
    providers,
    unfitProviders: (candidates ?? []).filter(({ obstacle }) => obstacle !== null),
    features: used,
    settings,
    customerName: customer_name,
    timeZone: customer_timezone,
    usedUpMinutes: usedUp
      ? { subscriptionId: usedUp.subscription_id, tag: usedUp.tag, limit: usedUp.value, used: usedUp.used }
      : null,
    sharesMinutes: minutes_above.some(({ value }) => limitOf(value) !== null),
    rules: {
      ...availabilityOf(row, row.status, today),
      roomPublic: room.is_public,
      hasUsableProvider: providers.length > 0 || (hasProvider && meeting?.state === 'open'),
      guestAccess: used.get('guest_access') === 'true' && settings['guest_policy'] !== 'always_deny',
      anyoneCanStart: settings['anyone_can_start'] === true || isMedia,
      participantLimit: hasViewers ? atOnce : null,
      hasViewers,
      zeroLimits: entryLimits.filter((limited) =>
        effective.some(({ tag, used: value }) => tag === limited && value !== null && limitOf(value) === 0),
      ),
      minutesUsedUp: usedUp !== undefined,
      codes: codes.map(({ id, code, role, expires_at }) => ({
        id,
        code,
        role,
        expiresAt: expires_at,
        expired: expires_at !== null && Date.parse(expires_at) <= Date.parse(now),
      })),
    },
  };
}

export function availabilityOf(
  { account_status, customer_status, bearers }: AvailabilityRow,
  roomStatus: string,
  today: CalendarDate,
): Availability {
  return {
    roomActive: roomStatus === 'active',
    customerUsable: customerUse(customer_status).canUse,
    accountActive: account_status === 'active',
    subscriptionUsable: bearers.every((bearer) => isUsable(lifecycleOf(bearer), today)),
  };
}

/** Viewers wait on the media server to which the encoder will connect. */
function streamFirst(providers: readonly ProviderCandidate[], id: Uuid | null): readonly ProviderCandidate[] {
  return id === null ? providers : providers.toSorted((one, other) => Number(other.id === id) - Number(one.id === id));
}

function smallerLimit(value: string, available: string | undefined): string {
  const [limit, limitLeft] = [limitOf(value), available === undefined ? null : limitOf(available)];
  return available === undefined || limitLeft === null || (limit !== null && limit <= limitLeft) ? value : available;
}

/** Handed-down amounts are not available to the reseller itself. */
function withoutHandedDown(value: string, handedDown: number): string {
  const limitLeft = handedDown === 0 ? null : limitOf(value);
  return limitLeft === null ? value : String(Math.max(0, limitLeft - handedDown));
}

export function limit(used: ReadonlyMap<string, string>, tag: string): number | null {
  const value = used.get(tag);
  return value === undefined ? null : limitOf(value);
}

/** The credentials of a request. */
export interface PresentedCredential {
  readonly token: string | null;
  readonly accessCode: string | null;
  readonly staffRole: RoomRole | null;
  /** The signed-in user; null or absent for others. */
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
    notYetValid: row.not_before !== null && Date.parse(row.not_before) > Date.parse(now),
    expired: row.expires_at !== null && Date.parse(row.expires_at) <= Date.parse(now),
    usedUp: row.max_uses !== null && row.uses >= row.max_uses,
    ofAnotherUser: row.user_id !== null && row.user_id !== userId,
  };
  return { credential: { token: tokenState, accessCode, staffRole }, token: row };
}

function areMinutesUsedUp({ tag, value, used, valid_until: until }: FeatureValue, today: CalendarDate): boolean {
  const limitLeft = minuteTags.includes(tag) ? limitOf(value) : null;
  const hasPassed = until !== null && until <= today;
  return limitLeft !== null && (hasPassed ? 0 : used) >= limitLeft;
}
