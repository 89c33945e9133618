import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { countSubscriptions, lockServicePackage, removeServicePackage } from './store.ts';

/** @throws 409 `package-in-use` if a subscription uses it. */
export async function deleteServicePackage(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async ({ tx, emit }) => {
    const row = await lockServicePackage(tx, id);
    const subscriptions = await countSubscriptions(tx, id);
    if (subscriptions > 0) throw conflict('package-in-use', `${subscriptions} subscriptions use the service package.`);
    await removeServicePackage(tx, id);
    await emit({
      name: 'service_package.deleted',
      resource: { type: 'ServicePackage', id },
      before: row,
    });
  });
}
