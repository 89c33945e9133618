import { type MembershipLevel, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import { AccountUser, CustomerUser, RoomUser } from '@foyer/contract/resources/users/membership.ts';
import { sql } from 'kysely';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView, type View } from '../../platform/list-query/view.ts';
import { membershipWithUserQuery, type MembershipWithUser } from './store.ts';

export const customerUserView = defineView<typeof CustomerUser.fields, MembershipWithUser>({
  resource: CustomerUser,
  table: 'customer_users',
  ...viewSource('customer'),
  transform: (row) => ({ ...printPermissions('customer', row), customer_id: printIdentifier('cust', row.resource_id) }),
});

export const accountUserView = defineView<typeof AccountUser.fields, MembershipWithUser>({
  resource: AccountUser,
  table: 'account_users',
  ...viewSource('account'),
  transform: (row) => ({ ...printPermissions('account', row), account_id: printIdentifier('acct', row.resource_id) }),
});

export const roomUserView = defineView<typeof RoomUser.fields, MembershipWithUser>({
  resource: RoomUser,
  table: 'room_users',
  ...viewSource('room'),
  transform: (row) => ({ ...printPermissions('room', row), room_id: printIdentifier('room', row.resource_id) }),
});

export const memberViews: Readonly<Record<MembershipLevel, View<MembershipWithUser>>> = {
  customer: customerUserView,
  account: accountUserView,
  room: roomUserView,
};

function viewSource(level: MembershipLevel) {
  return {
    ...membershipWithUserQuery(level),
    expressions: {
      first_name: sql`users.first_name`,
      last_name: sql`users.last_name`,
      full_name: sql`users.full_name`,
      email: sql`users.email`,
      status: sql`users.status`,
    },
  };
}

function printPermissions(level: MembershipLevel, row: MembershipWithUser) {
  return {
    permissions: (row.owner ? rightsOfLevel[level] : row.permissions) as never,
  };
}
