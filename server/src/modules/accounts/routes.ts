import { accountEndpoints as endpoints } from '@foyer/contract/resources/customers/account.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, rows, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { createAccount } from './create-account.ts';
import { deleteAccount } from './delete-account.ts';
import { requireAccount } from './store.ts';
import { accountView } from './transformer.ts';
import { updateAccount } from './update-account.ts';

export function accountRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.listAccounts, () => rows(accountView)),
    rowRoute(endpoints.createAccount, accountView, ({ actor, body }) => createAccount(dependencies, actor, body)),
    rowRoute(endpoints.readAccount, accountView, ({ params }) => requireAccount(dependencies.db, params.account_id)),
    rowRoute(endpoints.updateAccount, accountView, (call) => updateAccount(dependencies, call)),
    actionRoute(endpoints.deleteAccount, ({ actor, params }) => deleteAccount(dependencies, actor, params.account_id)),
  ];
}
