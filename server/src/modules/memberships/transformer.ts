import {
  AccountUser,
  CustomerUser,
  type MembershipLevel,
  RoomUser,
  rightsOfLevel,
} from '@foyer/contract/resources/membership.ts';
import { sql } from 'kysely';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView, type View } from '../../platform/list-query/view.ts';
import { shownMemberships, type ShownMembershipRow } from './store.ts';

export const customerUserView = defineView<typeof CustomerUser.fields, ShownMembershipRow>({
  resource: CustomerUser,
  table: 'customer_users',
  ...shownAs('customer'),
  transform: (row) => ({ ...print('customer', row), customer_id: printIdentifier('cust', row.thing_id) }),
});

export const accountUserView = defineView<typeof AccountUser.fields, ShownMembershipRow>({
  resource: AccountUser,
  table: 'account_users',
  ...shownAs('account'),
  transform: (row) => ({ ...print('account', row), account_id: printIdentifier('acct', row.thing_id) }),
});

export const roomUserView = defineView<typeof RoomUser.fields, ShownMembershipRow>({
  resource: RoomUser,
  table: 'room_users',
  ...shownAs('room'),
  transform: (row) => ({ ...print('room', row), room_id: printIdentifier('room', row.thing_id) }),
});

export const memberViews: Readonly<Record<MembershipLevel, View<ShownMembershipRow>>> = {
  customer: customerUserView,
  account: accountUserView,
  room: roomUserView,
};

function shownAs(level: MembershipLevel) {
  return {
    ...shownMemberships(level),
    expressions: {
      first_name: sql`users.first_name`,
      last_name: sql`users.last_name`,
      full_name: sql`users.full_name`,
      email: sql`users.email`,
      status: sql`users.status`,
    },
  };
}

function print(level: MembershipLevel, row: ShownMembershipRow) {
  return {
    user_id: printIdentifier('user', row.user_id),
    owner: row.owner,
    permissions: (row.owner ? rightsOfLevel[level] : row.permissions) as never,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: row.full_name,
    email: row.email,
    status: row.status,
  };
}
