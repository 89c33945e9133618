import type { Permission } from '@foyer/contract/conventions/permissions.ts';
import { Admin, AdminSelf } from '@foyer/contract/resources/administrators/admin.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import { listWhenEmpty } from '../../platform/row-members.ts';
import type { AdminRow } from './store.ts';

const shared = {
  table: 'admins',
  expressions: { has_email_verified: sql`(admins.email_verified_at is not null)` },
  transform: ({ email_verified_at: verifiedAt, admin_settings: settings }: AdminRow) => ({
    has_email_verified: verifiedAt !== null,
    admin_settings: listWhenEmpty(settings),
  }),
};

export const adminView = defineView<typeof Admin.fields, AdminRow>({ ...shared, resource: Admin });

export interface AdminSelfRow extends AdminRow {
  /** The permissions that the roles grant and the token's scopes cover. */
  readonly permissions: readonly Permission[];
}

export const adminSelfView = defineView<typeof AdminSelf.fields, AdminSelfRow>({
  ...shared,
  resource: AdminSelf,
  transform: (row) => ({
    ...shared.transform(row),
    permissions: row.permissions.map(({ name }) => name).toSorted(),
  }),
});
