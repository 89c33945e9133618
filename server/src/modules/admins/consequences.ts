import { createConsequences } from '../../events/consequences.ts';
import type { Uuid } from '../../platform/identifier.ts';

/** What an administrator is logged in with ends: with a new password, when switched off, or when asked for. */
export const whenAdminSessionsEnd = createConsequences<EndedAdminSessions>();

export interface EndedAdminSessions {
  readonly adminId: Uuid;
  /** The one session that goes on; null where all end. */
  readonly keptFamilyId: Uuid | null;
}
