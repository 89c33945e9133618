import { userEndpoints as endpoints } from '@foyer/contract/resources/users/user.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Result, type Route, route, row, rows, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { requirePrincipal, requireScopedPrincipal } from '../../platform/http/input/guard.ts';
import { tenantScopeOf } from '../../platform/list-query/view.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { endSessions, changeOwnPassword } from './credentials.ts';
import { listMembershipPermissions, requireUser, type UserRow } from './store.ts';
import { userSelfView, userView } from './transformer.ts';
import { updateUser } from './update-user.ts';

export function userRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    ...callingUserRoutes(dependencies),
    route(endpoints.listUsers, () => rows(userView)),
    rowRoute(endpoints.createUser, userView, ({ actor, body }) => createUser(dependencies, actor, body)),
    rowRoute(endpoints.readUser, userView, ({ params, reader }) =>
      requireUser(db, params.user_id, tenantScopeOf(userView, reader)),
    ),
    rowRoute(endpoints.updateUser, userView, ({ actor, params, body }) =>
      updateUser(dependencies, actor, params.user_id, body),
    ),
    actionRoute(endpoints.deleteUser, ({ actor, params }) => deleteUser(dependencies, actor, params.user_id)),
    actionRoute(endpoints.endUserSessions, ({ actor, params }) => endSessions(dependencies, actor, params.user_id)),
  ];
}

/** Routes for the user who calls them. */
function callingUserRoutes(dependencies: Dependencies): Route[] {
  const selfResult = async (user: UserRow): Promise<Result> =>
    row(userSelfView, { ...user, permissions: await listMembershipPermissions(dependencies.db, user.id) });
  return [
    route(endpoints.readCallingUser, async ({ principal }) =>
      selfResult(await requireUser(dependencies.db, requirePrincipal(principal, 'user').id)),
    ),
    route(endpoints.updateCallingUser, async ({ actor, principal, body }) =>
      selfResult(
        await updateUser(dependencies, actor, requireScopedPrincipal(principal, 'user', 'update-users').id, body),
      ),
    ),
    actionRoute(endpoints.changeOwnPassword, (call) => changeOwnPassword(dependencies, call)),
  ];
}
