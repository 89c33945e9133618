import { unavailable } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** So that reports never take all connections of the process from everything else. */
const maxReports = 5;
/** The rest is kept for administrators, whatever the users of customers ask for. */
const maxUserReports = 3;
const maxPerUser = 1;
/** Of the users of a customer and of everybody below it, whatever number of users they make. */
const maxPerTenant = 2;
const maxPerAdministrator = 3;

const runningReports: ReportOwner[] = [];

/** Whose report it is; clients that act for themselves count as administrators. */
export interface ReportOwner extends Pick<Principal, 'id' | 'kind'> {
  /** The topmost customers of those that a user belongs to. */
  readonly tenants: readonly Uuid[];
}

/**
 * Takes one of the places for reports that this process has.
 * @returns gives it back; once is enough.
 * @throws 503 `busy` while the holder has as many reports under way as it may, or no place is left.
 */
export function reserveReportSlot(holder: ReportOwner): () => void {
  const own = runningReports.filter(({ id }) => id === holder.id).length;
  const isUser = holder.kind === 'user';
  if (own >= (isUser ? maxPerUser : maxPerAdministrator))
    throw unavailable('busy', 'As many of your reports as may are under way. Please wait for one to end.');
  const isTenantAtItsMost = holder.tenants.some(
    (tenant) => runningReports.filter(({ tenants }) => tenants.includes(tenant)).length >= maxPerTenant,
  );
  if (isTenantAtItsMost)
    throw unavailable('busy', 'As many reports of your customer as may are under way. Please wait for one to end.');
  const ofUsers = runningReports.filter(({ kind }) => kind === 'user').length;
  if (runningReports.length >= maxReports || (isUser && ofUsers >= maxUserReports))
    throw unavailable('busy', 'Too many reports are under way at once. Please try again.');
  const place = { id: holder.id, kind: holder.kind, tenants: holder.tenants };
  runningReports.push(place);
  return () => {
    const index = runningReports.indexOf(place);
    if (index >= 0) runningReports.splice(index, 1);
  };
}
