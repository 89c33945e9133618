import { passwordResetEndpoints as endpoints } from '@foyer/contract/resources/users/password-reset.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Tx } from '../../events/change.ts';
import { forbidden } from '../../platform/failures.ts';
import { type Principal, type Result, type Route, route, value } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import { refuseAdminWithMorePermissions, requireAdmin } from '../admins/index.ts';
import { requireUser } from '../users/index.ts';
import { requestReset } from './request-reset.ts';
import { type CreatedReset, createReset } from './create-reset.ts';
import { resetPassword } from './reset-password.ts';

export function passwordResetRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.forgotUserPassword, async ({ actor, body }) =>
      value({ message: await requestReset(dependencies, actor, { population: 'users', email: body.email }) }),
    ),
    route(endpoints.forgotAdminPassword, async ({ actor, body }) =>
      value({ message: await requestReset(dependencies, actor, { population: 'admins', email: body.email }) }),
    ),
    route(endpoints.resetUserPassword, async ({ actor, body }) => {
      await resetPassword(dependencies, actor, 'users', body);
      return passwordChanged;
    }),
    route(endpoints.resetAdminPassword, async ({ actor, body }) => {
      await resetPassword(dependencies, actor, 'admins', body);
      return passwordChanged;
    }),
    route(endpoints.createUserPasswordReset, async ({ actor, params, reply }) => {
      const { id, email, locale } = await requireUser(db, params.user_id);
      reply.header('cache-control', 'no-store');
      return printReset(await createReset(dependencies, actor, { population: 'users', id, email, locale }));
    }),
    route(endpoints.createAdminPasswordReset, async ({ actor, params, principal, reply }) => {
      const { id, email, locale } = await requireAdmin(db, params.admin_id);
      const person = { population: 'admins', id, email, locale } as const;
      const reset = await createReset(dependencies, actor, person, (tx) =>
        refuseAccountTakeover(tx, requirePrincipal(principal), id),
      );
      reply.header('cache-control', 'no-store');
      return printReset(reset);
    }),
  ];
}

/**
 * A reset link gives full access to the account, so a token of limited scopes cannot create one, even for its own owner.
 * @throws 403 `privilege-escalation`
 */
async function refuseAccountTakeover(tx: Tx, principal: Principal, adminId: Uuid): Promise<void> {
  if (principal.id === adminId && !principal.scopes.includes('*'))
    throw forbidden(
      'privilege-escalation',
      'Your token has fewer rights than your account, so it cannot reset your password.',
    );
  await refuseAdminWithMorePermissions(tx, principal, adminId);
}

const passwordChanged = value({ message: 'The password has been changed. Please sign in with it.' });

function printReset({ email, mailed, url, expiresAt }: CreatedReset): Result {
  return value({ object: 'PasswordReset', email, mailed, url, expires_at: instantOrNull(expiresAt) });
}
