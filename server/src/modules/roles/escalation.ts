import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { forbidden } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import { hasPermissionAndScope } from '../../platform/http/input/guard.ts';

/**
 * Nobody hands out, or takes from others, what they do not hold themselves, by their permissions and their token.
 * @throws 403 naming it
 */
export function requireAllHeld(
  principal: Principal,
  names: readonly PermissionName[],
  doing: 'hand out' | 'take away',
): void {
  const lacking = names.filter((name) => !hasPermissionAndScope(principal, name));
  if (lacking.length > 0)
    throw forbidden('privilege-escalation', `You do not hold what you would ${doing}: ${lacking.join(', ')}.`);
}

/** Full access is handed out, and taken, by those who have it, with a token that is not narrowed. */
export function isFullAdmin(principal: Principal): boolean {
  return principal.isFullAdmin && principal.scopes.includes('*');
}
