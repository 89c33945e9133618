import { User, UserSelf } from '@foyer/contract/resources/users/user.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import type { UserRow } from './store.ts';

const shared = {
  table: 'users',
  expressions: { has_email_verified: sql`(users.email_verified_at is not null)` },
  transform: ({ email_verified_at: verifiedAt }: UserRow) => ({ has_email_verified: verifiedAt !== null }),
};

export const userView = defineView<typeof User.fields, UserRow>({ ...shared, resource: User });

export interface UserSelfRow extends UserRow {
  readonly permissions: readonly string[];
}

export const userSelfView = defineView<typeof UserSelf.fields, UserSelfRow>({
  ...shared,
  resource: UserSelf,
  transform: (row) => ({ ...shared.transform(row), permissions: row.permissions.toSorted() }),
});
