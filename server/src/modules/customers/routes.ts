import { customerEndpoints } from '@foyer/contract/customer.ts';
import { userEndpoints } from '@foyer/contract/user.ts';
import type { Dependencies } from '../../dependencies.ts';
import { unauthenticated } from '../../platform/failures.ts';
import { nothing, type Route, route, row, rows } from '../../platform/http/call.ts';
import { createCustomer } from './create-customer.ts';
import { deleteCustomer } from './delete-customer.ts';
import { requireCustomer } from './store.ts';
import { customerView } from './transformer.ts';
import { updateCustomer } from './update-customer.ts';
import { listMembershipPermissions, requireUser } from './user-store.ts';
import { userSelfView, userView } from './user-transformer.ts';

export function customerRoutes(dependencies: Dependencies): Route[] {
  return [
    route(customerEndpoints.listCustomers, () => rows(customerView)),
    route(customerEndpoints.createCustomer, async ({ actor, body }) =>
      row(customerView, await createCustomer(dependencies, actor, body)),
    ),
    route(customerEndpoints.readCustomer, async ({ params }) =>
      row(customerView, await requireCustomer(dependencies.db, params.customer_id)),
    ),
    route(customerEndpoints.updateCustomer, async ({ actor, params, body, immutable }) =>
      row(customerView, await updateCustomer(dependencies, actor, params.customer_id, body, immutable)),
    ),
    route(customerEndpoints.deleteCustomer, async ({ actor, params }) => {
      await deleteCustomer(dependencies, actor, params.customer_id);
      return nothing;
    }),
  ];
}

export function userRoutes(dependencies: Dependencies): Route[] {
  return [
    route(userEndpoints.readCallingUser, async ({ principal }) => {
      if (principal?.kind !== 'user') throw unauthenticated();
      const user = await requireUser(dependencies.db, principal.id);
      const permissions = await listMembershipPermissions(dependencies.db, principal.id);
      return row(userSelfView, { ...user, permissions });
    }),
    route(userEndpoints.listUsers, () => rows(userView)),
    route(userEndpoints.readUser, async ({ params }) =>
      row(userView, await requireUser(dependencies.db, params.user_id)),
    ),
  ];
}
