import { accountEndpoints as endpoints } from '@foyer/contract/resources/customers/account.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, actionRoute } from '../../platform/http/input/call.ts';
import { createAccount } from './create-account.ts';
import { deleteAccount } from './delete-account.ts';
import { requireAccount } from './store.ts';
import { accountView } from './transformer.ts';
import { updateAccount } from './update-account.ts';

export function accountRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.listAccounts, () => rows(accountView)),
    route(endpoints.createAccount, async ({ actor, body }) =>
      row(accountView, await createAccount(dependencies, actor, body)),
    ),
    route(endpoints.readAccount, async ({ params }) =>
      row(accountView, await requireAccount(dependencies.db, params.account_id)),
    ),
    route(endpoints.updateAccount, async (call) => row(accountView, await updateAccount(dependencies, call))),
    actionRoute(endpoints.deleteAccount, ({ actor, params }) => deleteAccount(dependencies, actor, params.account_id)),
  ];
}
