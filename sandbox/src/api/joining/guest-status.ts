import type { GuestStatus, Role } from '../../world/meeting.ts';

export interface Guesthood {
  role: Role;
  /** The parameter `guest`. */
  isGuest: boolean;
  /** The parameter `auth`; without it, whether `guest` was absent. */
  isAuthenticated: boolean;
}

/**
 * Decides who waits and who is denied. With `authenticatedGuest` (the default) the policy also applies to viewers who
 * are not guests; without it only to guests.
 */
export function guestStatusFor(guestPolicy: string, user: Guesthood, authenticatedGuest: boolean): GuestStatus {
  if (user.role === 'MODERATOR' || guestPolicy === 'ALWAYS_ACCEPT') return 'ALLOW';
  if (!authenticatedGuest) return statusOfGuestsOnly(guestPolicy, user);
  if (guestPolicy === 'ALWAYS_DENY') return 'DENY';
  if (guestPolicy === 'ASK_MODERATOR') {
    return user.isGuest || user.isAuthenticated ? 'WAIT' : 'ALLOW';
  }
  return user.isGuest ? 'WAIT' : 'ALLOW';
}

function statusOfGuestsOnly(guestPolicy: string, user: Guesthood): GuestStatus {
  if (!user.isGuest) return 'ALLOW';
  if (guestPolicy === 'ALWAYS_DENY') return 'DENY';
  if (guestPolicy === 'ALWAYS_ACCEPT_AUTH' && user.isAuthenticated) return 'ALLOW';
  return 'WAIT';
}
