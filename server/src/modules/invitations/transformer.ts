import { Invitation } from '@foyer/contract/resources/users/invitation.ts';
import { sql } from 'kysely';
import { epochMs } from '../../platform/time/instant.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { InvitationRow } from './store.ts';

export const invitationView = defineView<typeof Invitation.fields, InvitationRow>({
  resource: Invitation,
  table: 'invitations',
  expressions: {
    status: sql`(case when invitations.status = 'pending' and invitations.expires_at <= now() then 'expired' else invitations.status end)`,
  },
  transform: (row, reader) => ({
    status: row.status === 'pending' && epochMs(row.expires_at) <= reader.nowMs ? 'expired' : row.status,
    url: row.url ?? null,
  }),
});
