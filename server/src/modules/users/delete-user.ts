import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { listOwnedResources, lockUserForDeletion, type OwnedResources, removeUser } from './store.ts';

/** Deletes a user with their memberships and tokens. @throws 409 `user-is-owner`, naming the owned resources */
export async function deleteUser(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockUserForDeletion(change.tx, id);
    refuseOwner(await listOwnedResources(change.tx, id));
    await change.react('user.deleting', { userId: id });
    await removeUser(change.tx, id);
    change.invalidate('access');
    await change.emit(rowEvent('user.deleted', { before: row }));
  });
}

function refuseOwner(owned: OwnedResources): void {
  const resources = [
    ...describeResources('customer', 'cust', owned.customers),
    ...describeResources('account', 'acct', owned.accounts),
    ...describeResources('room', 'room', owned.rooms),
  ];
  if (resources.length === 0) return;
  const message = `The user owns ${resources.join(', ')}. Make someone else the owner first.`;
  throw conflict('user-is-owner', message, { user_id: [message] });
}

const maxNamedResources = 5;

/** Such as `the rooms room_…, room_… and 3 more`. */
function describeResources(noun: string, prefix: IdentifierPrefix, ids: readonly Uuid[]): string[] {
  if (ids.length === 0) return [];
  const printedIds = ids.slice(0, maxNamedResources).map((id) => printIdentifier(prefix, id));
  const more = ids.length > maxNamedResources ? ` and ${ids.length - maxNamedResources} more` : '';
  return [`the ${noun}${ids.length === 1 ? '' : 's'} ${printedIds.join(', ')}${more}`];
}
