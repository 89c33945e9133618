import { Invitation } from '@foyer/contract/resources/users/invitation.ts';
import { sql } from 'kysely';
import { epochMs } from '../../platform/time/instant.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { idOrNull, instantOrNull } from '../../platform/row-members.ts';
import type { InvitationRow } from './store.ts';

export const invitationView = defineView<typeof Invitation.fields, InvitationRow>({
  resource: Invitation,
  table: 'invitations',
  expressions: {
    status: sql`(case when invitations.status = 'pending' and invitations.expires_at <= now() then 'expired' else invitations.status end)`,
  },
  transform: (row, reader) => ({
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    customer_id: printIdentifier('cust', row.customer_id),
    account_id: idOrNull('acct', row.account_id),
    room_id: idOrNull('room', row.room_id),
    owner: row.owner,
    permissions: row.permissions,
    status: row.status === 'pending' && epochMs(row.expires_at) <= reader.nowMs ? 'expired' : row.status,
    expires_at: instantOrNull(row.expires_at) ?? '',
    accepted_at: instantOrNull(row.accepted_at),
    invited_by: row.invited_by,
    url: row.url ?? null,
  }),
});
