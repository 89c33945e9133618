import { createConsequences } from '../../events/consequences.ts';
import type { Uuid } from '../../platform/identifier.ts';

/** What a user is logged in with ends: when the password changes, when the user is switched off, or when asked for. */
export const whenUserSessionsEnd = createConsequences<EndedSessions>();

export interface EndedSessions {
  readonly userId: Uuid;
  /** The one session that goes on; null where all end. */
  readonly keptFamilyId: Uuid | null;
}

/** What goes with a user: its memberships. */
export const whenUserIsDeleted = createConsequences();
