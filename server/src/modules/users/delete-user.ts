import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { listOwned, lockUserForDeletion, type Owned, removeUser } from './store.ts';

/** The user goes with its memberships and tokens. @throws 409 `user-is-owner`, saying of what */
export async function deleteUser(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockUserForDeletion(change.tx, id);
    refuseOwner(await listOwned(change.tx, id));
    await change.react('user.deleting', { userId: id });
    await removeUser(change.tx, id);
    change.invalidate('access');
    await change.emit({ name: 'user.deleted', resource: { type: 'User', id }, before: row });
  });
}

function refuseOwner(owned: Owned): void {
  const things = [
    ...listed('customer', 'cust', owned.customers),
    ...listed('account', 'acct', owned.accounts),
    ...listed('room', 'room', owned.rooms),
  ];
  if (things.length === 0) return;
  const message = `The user owns ${things.join(', ')}. Make someone else the owner first.`;
  throw conflict('user-is-owner', message, { user_id: [message] });
}

const mostNamed = 5;

/** `the rooms room_…, room_… and 3 more`: enough to find them. */
function listed(noun: string, prefix: IdentifierPrefix, ids: readonly Uuid[]): string[] {
  if (ids.length === 0) return [];
  const named = ids.slice(0, mostNamed).map((id) => printIdentifier(prefix, id));
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : '';
  return [`the ${noun}${ids.length === 1 ? '' : 's'} ${named.join(', ')}${more}`];
}
