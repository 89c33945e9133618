import type { Permission } from '@foyer/contract/conventions/permissions.ts';
import { Admin, AdminSelf } from '@foyer/contract/resources/administrators/admin.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import { instantOrNull, listWhenEmpty } from '../../platform/row-members.ts';
import type { AdminRow } from './store.ts';

const expressions = { has_email_verified: sql`(admins.email_verified_at is not null)` };

export const adminView = defineView<typeof Admin.fields, AdminRow>({
  resource: Admin,
  table: 'admins',
  expressions,
  transform: printAdmin,
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
    ...printAdmin(row),
    permissions: row.permissions.map(({ name }) => name).toSorted(),
  }),
});

function printAdmin(row: AdminRow) {
  return {
    username: row.username,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: row.full_name,
    email: row.email,
    status: row.status,
    locale: row.locale,
    timezone: row.timezone,
    email_verified_at: instantOrNull(row.email_verified_at),
    has_email_verified: row.email_verified_at !== null,
    admin_settings: listWhenEmpty(row.admin_settings),
    admin_metadata: row.admin_metadata,
  };
}
