import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';

/**
 * Limits that must not be 0 at a join. Foyer checks this itself, because a meeting server treats a limit of 0 as
 * unlimited.
 */
export const entryLimits = [
  'max_participants',
  'max_viewers',
  'viewer_minutes',
  'max_duration',
  'max_concurrent_participants',
  'max_concurrent_meetings',
] as const;
export type EntryLimit = (typeof entryLimits)[number];

/** Whether the limit is about viewers. A simulcast room without viewers ignores these limits. */
export function isViewerLimit(tag: EntryLimit): boolean {
  return tag === 'max_viewers' || tag === 'viewer_minutes';
}

/** The state of a room that decides about a join, as plain values for pure functions. */
export interface AccessRules {
  readonly isRoomActive: boolean;
  readonly isRoomPublic: boolean;
  readonly isCustomerUsable: boolean;
  readonly isAccountActive: boolean;
  readonly isSubscriptionUsable: boolean;
  readonly hasUsableProvider: boolean;
  readonly hasGuestAccess: boolean;
  readonly canAnyoneStart: boolean;
  /** Null: unlimited. */
  readonly participantLimit: number | null;
  /** The limits of the room that are 0 and so allow no meeting at all. */
  readonly zeroLimits: readonly EntryLimit[];
  readonly areMinutesUsedUp: boolean;
  /** Whether viewers are allowed. False for a simulcast room without viewers: only moderators join, to broadcast. */
  readonly hasViewers: boolean;
  /** The codes of the room, expired ones too. */
  readonly codes: readonly {
    readonly id: string;
    readonly code: string;
    readonly role: RoomRole;
    /** An instant. */
    readonly expiresAt: string | null;
    readonly isExpired: boolean;
  }[];
}

/** The state of the presented room token, for this visitor and at this time. */
export interface TokenState {
  readonly role: RoomRole;
  readonly isNotYetValid: boolean;
  readonly isExpired: boolean;
  readonly isUsedUp: boolean;
  /** Whether the token is bound to a user other than the visitor. */
  readonly isOfAnotherUser: boolean;
}

/** The credentials of a join request. */
export interface Credential {
  /** Null without a token; `unknown` for a token that does not belong to the room. */
  readonly token: TokenState | 'unknown' | null;
  readonly accessCode: string | null;
  /** Set for a caller with the permission to join rooms, who needs neither token nor code. */
  readonly staffRole: RoomRole | null;
}

export interface AccessDecision {
  /** Null if the credentials give no role. */
  readonly role: RoomRole | null;
  /** All reasons for refusal, in the order of the checks. */
  readonly refusals: readonly EntryRefusal[];
  /** The code that was accepted. */
  readonly codeId: string | null;
}

/** Applies all rules that need neither the meeting server nor the participant count. */
export function checkAccess(rules: AccessRules, credential: Credential): AccessDecision {
  const refusals = availabilityRefusals(rules);
  if (!rules.hasUsableProvider) refusals.push('no-usable-provider');
  const role = roleOf(rules, credential);
  refusals.push(...tokenRefusals(rules, credential));
  if (role === 'guest' && credential.staffRole === null && !rules.hasGuestAccess) refusals.push('guest-access-off');
  const code = role === null || credential.staffRole !== null ? null : checkCode(rules, role, credential.accessCode);
  if (code?.refusal) refusals.push(code.refusal);
  if (rules.areMinutesUsedUp) refusals.push('participant-minutes-used-up');
  const mayOnlyBroadcast = role === 'moderator' && !rules.hasViewers;
  if (rules.zeroLimits.some((tag) => !mayOnlyBroadcast || !isViewerLimit(tag))) refusals.push('limit-is-zero');
  return { role, refusals, codeId: code?.id ?? null };
}

export type Availability = Pick<
  AccessRules,
  'isRoomActive' | 'isCustomerUsable' | 'isAccountActive' | 'isSubscriptionUsable'
>;

/** Reasons for refusal that apply to every visitor. */
export function availabilityRefusals(availability: Availability): EntryRefusal[] {
  const refusals: EntryRefusal[] = [];
  if (!availability.isRoomActive) refusals.push('room-inactive');
  if (!availability.isCustomerUsable) refusals.push('customer-not-usable');
  if (!availability.isAccountActive) refusals.push('account-not-usable');
  if (!availability.isSubscriptionUsable) refusals.push('entry-subscription-not-usable');
  return refusals;
}

/** Only moderators can start a meeting, unless the room allows it for all roles. */
export function mayStart(rules: Pick<AccessRules, 'canAnyoneStart'>, role: RoomRole): boolean {
  return role === 'moderator' || rules.canAnyoneStart;
}

/** Whether the room has an access code for the role, even an expired one. A code that is sent is always checked. */
export function isCodeProtected(rules: Pick<AccessRules, 'codes'>, role: RoomRole): boolean {
  return rules.codes.some((code) => code.role === role);
}

function roleOf(rules: AccessRules, { token, staffRole }: Credential): RoomRole | null {
  if (staffRole !== null) return staffRole;
  if (token === 'unknown') return null;
  if (token !== null) return token.role;
  return rules.isRoomPublic ? 'guest' : null;
}

function tokenRefusals(rules: AccessRules, { token, staffRole }: Credential): EntryRefusal[] {
  if (staffRole !== null) return [];
  if (token === null) return rules.isRoomPublic ? [] : ['token-required'];
  if (token === 'unknown') return ['token-unknown'];
  const refusals: EntryRefusal[] = [];
  if (token.isNotYetValid) refusals.push('token-not-yet-valid');
  if (token.isExpired) refusals.push('token-expired');
  if (token.isUsedUp) refusals.push('token-used-up');
  if (token.isOfAnotherUser) refusals.push('token-of-another-user');
  return refusals;
}

function checkCode(
  rules: AccessRules,
  role: RoomRole,
  entered: string | null,
): { refusal: EntryRefusal | null; id: string | null } {
  if (entered === null) return { refusal: isCodeProtected(rules, role) ? 'access-code-required' : null, id: null };
  // Compares every code in constant time, against timing attacks.
  const [code] = rules.codes.filter((candidate) => equalInConstantTime(candidate.code, entered));
  if (!code || code.isExpired) return { refusal: 'access-code-wrong', id: null };
  if (code.role !== role) return { refusal: 'access-code-other-role', id: null };
  return { refusal: null, id: code.id };
}

/** Compares case-insensitively and in constant time. */
function equalInConstantTime(code: string, entered: string): boolean {
  const [one, other] = [code.toLowerCase(), entered.toLowerCase()];
  let difference = one.length ^ other.length;
  for (let index = 0; index < other.length; index++)
    difference |= other.charCodeAt(index) ^ one.charCodeAt(index % one.length);
  return difference === 0;
}
