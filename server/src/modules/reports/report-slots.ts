import { unavailable } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** The limit of one process, so that reports do not use up the connection pool. */
const maxReports = 5;
/** The other slots are reserved for administrators. */
const maxUserReports = 3;
const maxPerUser = 1;
/** For all users of a topmost customer and its sub-customers. */
const maxPerTenant = 2;
const maxPerAdministrator = 3;

const runningReports: ReportOwner[] = [];

/** The principal of a report; clients that act for themselves count as administrators. */
export interface ReportOwner extends Pick<Principal, 'id' | 'kind'> {
  /** The topmost customers above the user's customers. */
  readonly tenants: readonly Uuid[];
}

/**
 * Reserves one of the report slots of this process.
 * @returns releases the slot; idempotent.
 * @throws 503 `busy` if the owner, its tenant or the process has reached its limit.
 */
export function reserveReportSlot(owner: ReportOwner): () => void {
  const ownerReportCount = runningReports.filter(({ id }) => id === owner.id).length;
  const isUser = owner.kind === 'user';
  if (ownerReportCount >= (isUser ? maxPerUser : maxPerAdministrator))
    throw unavailable('busy', 'You have reached your limit of running reports. Wait for one to finish.');
  const isTenantAtLimit = owner.tenants.some(
    (tenant) => runningReports.filter(({ tenants }) => tenants.includes(tenant)).length >= maxPerTenant,
  );
  if (isTenantAtLimit)
    throw unavailable('busy', 'Your organization has reached its limit of running reports. Wait for one to finish.');
  const userReportCount = runningReports.filter(({ kind }) => kind === 'user').length;
  if (runningReports.length >= maxReports || (isUser && userReportCount >= maxUserReports))
    throw unavailable('busy', 'Too many reports are running. Please try again.');
  const slot = { ...owner };
  runningReports.push(slot);
  return () => {
    const index = runningReports.indexOf(slot);
    if (index >= 0) runningReports.splice(index, 1);
  };
}
