import { unavailable } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** So that reports never take all connections of the process from everything else. */
const mostAtOnce = 5;
/** The rest is kept for administrators, whatever the users of customers ask for. */
const mostOfUsers = 3;
const mostOfOneUser = 1;
/** Of the users of a customer and of everybody below it, whatever number of users they make. */
const mostOfOneTenant = 2;
const mostOfOneAdministrator = 3;

const taken: Holder[] = [];

/** Whose report it is; clients that act for themselves count as administrators. */
export interface Holder extends Pick<Principal, 'id' | 'kind'> {
  /** The topmost customers of those that a user belongs to. */
  readonly tenants: readonly Uuid[];
}

/**
 * Takes one of the places for reports that this process has.
 * @returns gives it back; once is enough.
 * @throws 503 `busy` while the holder has as many reports under way as it may, or no place is left.
 */
export function takePlace(holder: Holder): () => void {
  const own = taken.filter(({ id }) => id === holder.id).length;
  const isUser = holder.kind === 'user';
  if (own >= (isUser ? mostOfOneUser : mostOfOneAdministrator))
    throw unavailable('busy', 'As many of your reports as may are under way. Please wait for one to end.');
  const isTenantAtItsMost = holder.tenants.some(
    (tenant) => taken.filter(({ tenants }) => tenants.includes(tenant)).length >= mostOfOneTenant,
  );
  if (isTenantAtItsMost)
    throw unavailable('busy', 'As many reports of your customer as may are under way. Please wait for one to end.');
  const ofUsers = taken.filter(({ kind }) => kind === 'user').length;
  if (taken.length >= mostAtOnce || (isUser && ofUsers >= mostOfUsers))
    throw unavailable('busy', 'Too many reports are under way at once. Please try again.');
  const place = { id: holder.id, kind: holder.kind, tenants: holder.tenants };
  taken.push(place);
  return () => {
    const index = taken.indexOf(place);
    if (index >= 0) taken.splice(index, 1);
  };
}
