import { sql } from 'kysely';
import { accountView } from '../accounts/index.ts';
import { customerView } from '../customers/index.ts';
import { visibleCustomers } from '../memberships/index.ts';
import { roomView } from '../rooms/index.ts';
import { belongsTo, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { invitationView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  {
    view: invitationView,
    condition: (userId) => sql`invitations.customer_id in ${visibleCustomers(userId, 'manage-customer-users')}`,
  },
];

export const relations: readonly NamedRelation[] = [
  relation(invitationView, 'customer', belongsTo(customerView, 'customer_id')),
  relation(invitationView, 'account', belongsTo(accountView, 'account_id')),
  relation(invitationView, 'room', belongsTo(roomView, 'room_id')),
];
