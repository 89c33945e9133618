import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { counted } from '../../platform/text/counted.ts';
import { describeProvider } from './describe-provider.ts';
import { countUse, lockServiceProvider, removeServiceProvider } from './store.ts';

/** @throws 409 `provider-in-use` while a package or subscription has it, a meeting runs on it, or it has videos. */
export async function deleteServiceProvider(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async ({ tx, emit, invalidate }) => {
    const row = await lockServiceProvider(tx, id);
    const use = await countUse(tx, id);
    if (use.packages + use.subscriptions > 0) {
      throw conflict(
        'provider-in-use',
        `The service provider is attached to ${counted(use.packages, 'package')} and ${counted(use.subscriptions, 'subscription')}.`,
      );
    }
    if (use.meetings > 0) {
      throw conflict(
        'provider-in-use',
        `The service provider has ${counted(use.meetings, 'running meeting')}. Set draining to true and wait until no meeting is running.`,
      );
    }
    if (use.videos > 0) {
      throw conflict(
        'provider-in-use',
        `The service provider stores ${counted(use.videos, 'video')}. Delete its videos first.`,
      );
    }
    await removeServiceProvider(tx, id);
    invalidate('providers');
    await emit(
      rowEvent('service_provider.deleted', {
        before: {
          ...row,
          properties: describeProvider(dependencies.providers, row.provider_type, row.properties).properties,
        },
      }),
    );
  });
}
