import { userEndpoints as endpoints } from '@foyer/contract/user.ts';
import type { Dependencies } from '../../dependencies.ts';
import { unauthenticated } from '../../platform/failures.ts';
import { type Route, route, row, rows } from '../../platform/http/call.ts';
import { listMembershipPermissions, requireUser } from './store.ts';
import { userSelfView, userView } from './transformer.ts';

export function userRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.readCallingUser, async ({ principal }) => {
      if (principal?.kind !== 'user') throw unauthenticated();
      const user = await requireUser(dependencies.db, principal.id);
      const permissions = await listMembershipPermissions(dependencies.db, principal.id);
      return row(userSelfView, { ...user, permissions });
    }),
    route(endpoints.listUsers, () => rows(userView)),
    route(endpoints.readUser, async ({ params }) => row(userView, await requireUser(dependencies.db, params.user_id))),
  ];
}
