import { User, UserSelf } from '@foyer/contract/resources/users/user.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import type { UserRow } from './store.ts';

const expressions = { has_email_verified: sql`(users.email_verified_at is not null)` };

export const userView = defineView<typeof User.fields, UserRow>({
  resource: User,
  table: 'users',
  expressions,
  transform: hasEmailVerified,
});

export interface UserSelfRow extends UserRow {
  readonly permissions: readonly string[];
}

export const userSelfView = defineView<typeof UserSelf.fields, UserSelfRow>({
  resource: UserSelf,
  table: 'users',
  expressions,
  transform: (row) => ({ ...hasEmailVerified(row), permissions: [...row.permissions].sort() }),
});

function hasEmailVerified(row: UserRow) {
  return { has_email_verified: row.email_verified_at !== null };
}
