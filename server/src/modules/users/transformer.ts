import { User, UserSelf } from '@foyer/contract/resources/users/user.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import type { UserRow } from './store.ts';

const expressions = { has_email_verified: sql`(users.email_verified_at is not null)` };

export const userView = defineView<typeof User.fields, UserRow>({
  resource: User,
  table: 'users',
  expressions,
  transform: (row) => printUser(row),
});

export interface UserSelfRow extends UserRow {
  readonly permissions: readonly string[];
}

export const userSelfView = defineView<typeof UserSelf.fields, UserSelfRow>({
  resource: UserSelf,
  table: 'users',
  expressions,
  transform: (row) => ({ ...printUser(row), permissions: [...row.permissions].sort() }),
});

function printUser(row: UserRow) {
  return {
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: row.full_name,
    email: row.email,
    status: row.status,
    locale: row.locale,
    timezone: row.timezone,
    email_verified_at: instantOrNull(row.email_verified_at),
    has_email_verified: row.email_verified_at !== null,
    user_settings: row.user_settings,
    user_metadata: row.user_metadata,
  };
}
