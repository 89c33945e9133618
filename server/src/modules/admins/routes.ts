import { adminEndpoints as endpoints } from '@foyer/contract/admin.ts';
import type { Dependencies } from '../../dependencies.ts';
import { unauthenticated } from '../../platform/failures.ts';
import { type Route, route, row } from '../../platform/http/call.ts';
import { requireAdmin } from './store.ts';
import { adminSelfView } from './transformer.ts';

export function adminRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.readCallingAdmin, async ({ principal }) => {
      if (principal?.kind !== 'admin') throw unauthenticated();
      const admin = await requireAdmin(dependencies.db, principal.id);
      return row(adminSelfView, {
        ...admin,
        permissions: principal.isFullAdmin ? 'all' : [...principal.permissions],
      });
    }),
  ];
}
