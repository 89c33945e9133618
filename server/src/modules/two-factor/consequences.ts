import { createConsequences } from '../../events/consequences.ts';
import type { Uuid } from '../../platform/identifier.ts';

/** What an administrator signed in with before, by the password alone, ends; the session that enabled it goes on. */
export const whenTwoFactorIsEnabled = createConsequences<EnabledTwoFactor>();

export interface EnabledTwoFactor {
  readonly adminId: Uuid;
  readonly keptFamilyId: Uuid;
}
