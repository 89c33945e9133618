import type { Selectable } from 'kysely';
import type { Events } from '../database/tables.ts';
import type { RefusedLimit } from '../platform/failures.ts';
import type { Uuid } from '../platform/identity/identifier.ts';
import type { Settings } from '../platform/settings.ts';

/** The changes that later modules can react to, with their subjects. */
export interface ReactionSubjects {
  /** Called with the events in their order, in the transaction that publishes them. */
  'events.published': { readonly events: readonly Selectable<Events>[] };
  'settings.updated': { readonly before: Settings; readonly after: Settings };
  /** The sessions of an administrator end: with a new password, a deactivation, or on request. */
  'admin.sessions-ending': { readonly adminId: Uuid; readonly keptFamilyId: Uuid | null };
  'admin.two-factor-enabled': { readonly adminId: Uuid; readonly keptFamilyId: Uuid };
  /** The sessions of a user end: with a new password, a deactivation, or on request. */
  'user.sessions-ending': { readonly userId: Uuid; readonly keptFamilyId: Uuid | null };
  'user.deleting': { readonly userId: Uuid };
  'customer.terminating': { readonly customerId: Uuid };
  'customer.deleting': { readonly customerId: Uuid };
  'subscription.deleting': { readonly subscriptionId: Uuid };
  'account.deleting': { readonly accountId: Uuid };
  'room.deleting': { readonly roomId: Uuid };
  /** A limit refused a request, whose transaction has been rolled back. */
  'limit.refused': RefusedLimit;
  /** The usage of a subscription has reached its limit. */
  'limit.used-up': RefusedLimit;
}

export type ReactionName = keyof ReactionSubjects;
