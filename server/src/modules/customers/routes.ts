import { customerEndpoints } from '@foyer/contract/resources/customers/customer.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, actionRoute } from '../../platform/http/input/call.ts';
import { createCustomer } from './create-customer.ts';
import { deleteCustomer } from './delete-customer.ts';
import { requireCustomer } from './store.ts';
import { customerView } from './transformer.ts';
import { updateCustomer } from './update-customer.ts';

export function customerRoutes(dependencies: Dependencies): Route[] {
  return [
    route(customerEndpoints.listCustomers, () => rows(customerView)),
    route(customerEndpoints.createCustomer, async ({ actor, principal, body }) =>
      row(customerView, await createCustomer(dependencies, actor, principal, body)),
    ),
    route(customerEndpoints.readCustomer, async ({ params }) =>
      row(customerView, await requireCustomer(dependencies.db, params.customer_id)),
    ),
    route(customerEndpoints.updateCustomer, async (call) =>
      row(customerView, await updateCustomer(dependencies, call)),
    ),
    actionRoute(customerEndpoints.deleteCustomer, ({ actor, params }) =>
      deleteCustomer(dependencies, actor, params.customer_id),
    ),
  ];
}
