import type { GuestStatus, Role } from '../../world/meeting.ts';

export interface JoiningUser {
  role: Role;
  /** The parameter `guest`. */
  isGuest: boolean;
  /** The parameter `auth`. If it is absent: whether `guest` is absent, too. */
  isAuthenticated: boolean;
}

/**
 * Decides whether a user is admitted, waits or is denied. With `authenticatedGuest` (the default), `ALWAYS_DENY` applies to
 * all viewers, and `ASK_MODERATOR` also to authenticated viewers who are not guests, as in BigBlueButton. Without it, the
 * policy applies only to guests.
 */
export function decideGuestStatus(guestPolicy: string, user: JoiningUser, authenticatedGuest: boolean): GuestStatus {
  if (user.role === 'MODERATOR' || guestPolicy === 'ALWAYS_ACCEPT') return 'ALLOW';
  if (!authenticatedGuest) return decideForGuestsOnly(guestPolicy, user);
  if (guestPolicy === 'ALWAYS_DENY') return 'DENY';
  if (guestPolicy === 'ASK_MODERATOR') {
    return user.isGuest || user.isAuthenticated ? 'WAIT' : 'ALLOW';
  }
  return user.isGuest ? 'WAIT' : 'ALLOW';
}

function decideForGuestsOnly(guestPolicy: string, user: JoiningUser): GuestStatus {
  if (!user.isGuest) return 'ALLOW';
  if (guestPolicy === 'ALWAYS_DENY') return 'DENY';
  if (guestPolicy === 'ALWAYS_ACCEPT_AUTH' && user.isAuthenticated) return 'ALLOW';
  return 'WAIT';
}
