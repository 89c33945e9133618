import { customerEndpoints } from '@foyer/contract/resources/customers/customer.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, rows, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { createCustomer } from './create-customer.ts';
import { deleteCustomer } from './delete-customer.ts';
import { requireCustomer } from './store.ts';
import { customerView } from './transformer.ts';
import { updateCustomer } from './update-customer.ts';

export function customerRoutes(dependencies: Dependencies): Route[] {
  return [
    route(customerEndpoints.listCustomers, () => rows(customerView)),
    rowRoute(customerEndpoints.createCustomer, customerView, ({ actor, principal, body }) =>
      createCustomer(dependencies, actor, principal, body),
    ),
    rowRoute(customerEndpoints.readCustomer, customerView, ({ params }) =>
      requireCustomer(dependencies.db, params.customer_id),
    ),
    rowRoute(customerEndpoints.updateCustomer, customerView, (call) => updateCustomer(dependencies, call)),
    actionRoute(customerEndpoints.deleteCustomer, ({ actor, params }) =>
      deleteCustomer(dependencies, actor, params.customer_id),
    ),
  ];
}
