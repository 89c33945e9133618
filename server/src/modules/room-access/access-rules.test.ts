import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import { expect, test } from 'vitest';
import { type Credential, type AccessRules, checkAccess, isCodeProtected, mayStart } from './access-rules.ts';

const openRules: AccessRules = {
  isRoomActive: true,
  isRoomPublic: false,
  isCustomerUsable: true,
  isAccountActive: true,
  isSubscriptionUsable: true,
  hasUsableProvider: true,
  hasGuestAccess: true,
  canAnyoneStart: false,
  participantLimit: null,
  zeroLimits: [],
  areMinutesUsedUp: false,
  hasViewers: true,
  codes: [],
};
const noCredential: Credential = { token: null, accessCode: null, staffRole: null };
const usableToken = { isNotYetValid: false, isExpired: false, isUsedUp: false, isOfAnotherUser: false };
const attendee: Credential = { ...noCredential, token: { role: 'attendee', ...usableToken } };
const code = { id: 'c1', code: 'Open-1', role: 'attendee', expiresAt: null, isExpired: false } as const;

const cases: [string, Partial<AccessRules>, Credential, EntryRefusal[], RoomRole | null][] = [
  ['a token admits to its room with its role', {}, attendee, [], 'attendee'],
  ['an inactive room refuses entry', { isRoomActive: false }, attendee, ['room-inactive'], 'attendee'],
  [
    'the rooms of an unusable customer refuse entry',
    { isCustomerUsable: false },
    attendee,
    ['customer-not-usable'],
    'attendee',
  ],
  [
    'the rooms of an inactive account refuse entry',
    { isAccountActive: false },
    attendee,
    ['account-not-usable'],
    'attendee',
  ],
  [
    'the rooms of an unusable subscription refuse entry',
    { isSubscriptionUsable: false },
    attendee,
    ['entry-subscription-not-usable'],
    'attendee',
  ],
  [
    'without a usable provider every entry is rejected',
    { hasUsableProvider: false },
    attendee,
    ['no-usable-provider'],
    'attendee',
  ],
  ['a room that is not public needs a token', {}, noCredential, ['token-required'], null],
  ['a public room lets guests in without a token', { isRoomPublic: true }, noCredential, [], 'guest'],
  [
    'without guest access a public room needs another token',
    { isRoomPublic: true, hasGuestAccess: false },
    noCredential,
    ['guest-access-off'],
    'guest',
  ],
  [
    'without guest access guest tokens are rejected',
    { hasGuestAccess: false },
    { ...noCredential, token: { role: 'guest', ...usableToken } },
    ['guest-access-off'],
    'guest',
  ],
  [
    'the token of another room is rejected, even in a public room',
    { isRoomPublic: true },
    { ...noCredential, token: 'unknown' },
    ['token-unknown'],
    null,
  ],
  [
    'an expired token is rejected',
    {},
    { ...noCredential, token: { role: 'attendee', ...usableToken, isExpired: true } },
    ['token-expired'],
    'attendee',
  ],
  [
    'a token is rejected before its start',
    {},
    { ...noCredential, token: { role: 'attendee', ...usableToken, isNotYetValid: true } },
    ['token-not-yet-valid'],
    'attendee',
  ],
  [
    'a token that was used up is rejected',
    {},
    { ...noCredential, token: { role: 'attendee', ...usableToken, isUsedUp: true } },
    ['token-used-up'],
    'attendee',
  ],
  [
    'a personal token admits only its user',
    {},
    { ...noCredential, token: { role: 'attendee', ...usableToken, isOfAnotherUser: true } },
    ['token-of-another-user'],
    'attendee',
  ],
  ['a protected role needs a code', { codes: [code] }, attendee, ['access-code-required'], 'attendee'],
  [
    'a correct code is accepted in upper and lower case',
    { codes: [code] },
    { ...attendee, accessCode: 'oPEN-1' },
    [],
    'attendee',
  ],
  [
    'a wrong code is rejected',
    { codes: [code] },
    { ...attendee, accessCode: 'open-2' },
    ['access-code-wrong'],
    'attendee',
  ],
  [
    'an expired code protects its role and is rejected',
    { codes: [{ ...code, isExpired: true }] },
    { ...attendee, accessCode: 'Open-1' },
    ['access-code-wrong'],
    'attendee',
  ],
  [
    'a code of another role is rejected',
    { codes: [code, { id: 'c2', code: 'mods', role: 'moderator', expiresAt: null, isExpired: false }] },
    { ...attendee, accessCode: 'mods' },
    ['access-code-other-role'],
    'attendee',
  ],
  [
    'a code of another role does not protect this one',
    { codes: [{ ...code, role: 'moderator' }] },
    attendee,
    [],
    'attendee',
  ],
  [
    'a room without remaining minutes refuses entry',
    { areMinutesUsedUp: true },
    attendee,
    ['participant-minutes-used-up'],
    'attendee',
  ],
  ['a limit of 0 refuses everyone', { zeroLimits: ['max_duration'] }, attendee, ['limit-is-zero'], 'attendee'],
  [
    'moderators of a room without viewers need neither viewers nor viewer minutes',
    { hasViewers: false, zeroLimits: ['max_viewers', 'viewer_minutes'] },
    { ...noCredential, staffRole: 'moderator' },
    [],
    'moderator',
  ],
  [
    'moderators of a room without viewers are refused by other limits of 0',
    { hasViewers: false, zeroLimits: ['max_viewers', 'viewer_minutes', 'max_duration'] },
    { ...noCredential, staffRole: 'moderator' },
    ['limit-is-zero'],
    'moderator',
  ],
  [
    'a room without viewers refuses attendees',
    { hasViewers: false, zeroLimits: ['max_viewers', 'viewer_minutes'] },
    attendee,
    ['limit-is-zero'],
    'attendee',
  ],
  [
    'an unknown code is rejected for a role that needs none',
    {},
    { ...attendee, accessCode: 'made-up' },
    ['access-code-wrong'],
    'attendee',
  ],
  [
    'a code of another role is rejected for a role that needs none',
    { codes: [{ ...code, role: 'moderator' }] },
    { ...attendee, accessCode: 'open-1' },
    ['access-code-other-role'],
    'attendee',
  ],
  [
    'staff needs neither token nor code',
    { codes: [{ ...code, role: 'moderator' }], hasGuestAccess: false },
    { ...noCredential, staffRole: 'moderator' },
    [],
    'moderator',
  ],
  [
    'all reasons are returned, not only the first',
    { isRoomActive: false, isSubscriptionUsable: false, areMinutesUsedUp: true },
    noCredential,
    ['room-inactive', 'entry-subscription-not-usable', 'token-required', 'participant-minutes-used-up'],
    null,
  ],
];

for (const [guarantee, rules, credential, refusals, role] of cases) {
  test(guarantee, () => {
    const result = checkAccess({ ...openRules, ...rules }, credential);
    expect(result.refusals).toEqual(refusals);
    expect(result.role).toBe(role);
  });
}

test('only moderators can start a meeting, unless the room allows everyone', () => {
  expect(mayStart(openRules, 'moderator')).toBe(true);
  expect(mayStart(openRules, 'attendee')).toBe(false);
  expect(mayStart({ canAnyoneStart: true }, 'guest')).toBe(true);
});

test('one code is enough to protect its role, even an expired one', () => {
  expect(isCodeProtected({ codes: [{ ...code, isExpired: true }] }, 'attendee')).toBe(true);
  expect(isCodeProtected({ codes: [code] }, 'guest')).toBe(false);
});
