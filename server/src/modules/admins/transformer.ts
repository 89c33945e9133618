import type { Permission } from '@foyer/contract/conventions/permissions.ts';
import { Admin, AdminSelf } from '@foyer/contract/resources/administrators/admin.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import type { AdminRow } from './store.ts';

const expressions = { has_email_verified: sql`(admins.email_verified_at is not null)` };

export const adminView = defineView<typeof Admin.fields, AdminRow>({
  resource: Admin,
  table: 'admins',
  expressions,
  transform: hasEmailVerified,
});

export interface AdminSelfRow extends AdminRow {
  /** The permissions that the roles grant and the token's scopes cover. */
  readonly permissions: readonly Permission[];
}

export const adminSelfView = defineView<typeof AdminSelf.fields, AdminSelfRow>({
  resource: AdminSelf,
  table: 'admins',
  expressions,
  transform: (row) => ({
    ...hasEmailVerified(row),
    permissions: row.permissions.map(({ name }) => name).toSorted(),
  }),
});

function hasEmailVerified(row: AdminRow) {
  return { has_email_verified: row.email_verified_at !== null };
}
