import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { forbidden } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import { hasPermissionAndScope } from '../../platform/http/input/guard.ts';

/**
 * Administrators can only grant and revoke permissions that they hold and that their token's scopes cover.
 * @throws 403 `privilege-escalation` with the names of the missing permissions
 */
export function requireAllHeld(
  principal: Principal,
  names: readonly PermissionName[],
  action: 'grant' | 'revoke',
): void {
  const missing = names.filter((name) => !hasPermissionAndScope(principal, name));
  if (missing.length > 0)
    throw forbidden(
      'privilege-escalation',
      `You cannot ${action} permissions that you do not hold: ${missing.join(', ')}.`,
    );
}

/** Full access needs the default role and a token with the scope `*`. */
export function isFullAdmin(principal: Principal): boolean {
  return principal.isFullAdmin && principal.scopes.includes('*');
}
