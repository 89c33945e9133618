import type { MembershipLevel } from '@foyer/contract/conventions/rights.ts';
import {
  accountUserEndpoints,
  customerUserEndpoints,
  roomUserEndpoints,
} from '@foyer/contract/resources/users/membership.ts';
import type { Dependencies } from '../../dependencies.ts';
import { nestedRoutes } from '../../nested-routes.ts';
import type { Call, Route } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { createMember, type MemberInput } from './add-member.ts';
import { removeMember } from './remove-member.ts';
import { membershipTables, requireMembership, requireMembershipScope } from './store.ts';
import { memberViews } from './transformer.ts';
import { type MemberChanges, updateMember } from './update-member.ts';

export function membershipRoutes(dependencies: Dependencies): Route[] {
  const [customers, accounts, rooms] = [membersOf('customer'), membersOf('account'), membersOf('room')];
  return [
    ...nestedRoutes(dependencies, {
      ...customers,
      list: customerUserEndpoints.listCustomerUsers,
      read: customerUserEndpoints.readCustomerUser,
      create: [customerUserEndpoints.createCustomerUser, customers.add],
      update: [customerUserEndpoints.updateCustomerUser, customers.change],
      delete: [customerUserEndpoints.deleteCustomerUser, customers.remove],
    }),
    ...nestedRoutes(dependencies, {
      ...accounts,
      list: accountUserEndpoints.listAccountUsers,
      read: accountUserEndpoints.readAccountUser,
      create: [accountUserEndpoints.createAccountUser, accounts.add],
      update: [accountUserEndpoints.updateAccountUser, accounts.change],
      delete: [accountUserEndpoints.deleteAccountUser, accounts.remove],
    }),
    ...nestedRoutes(dependencies, {
      ...rooms,
      list: roomUserEndpoints.listRoomUsers,
      read: roomUserEndpoints.readRoomUser,
      create: [roomUserEndpoints.createRoomUser, rooms.add],
      update: [roomUserEndpoints.updateRoomUser, rooms.change],
      delete: [roomUserEndpoints.deleteRoomUser, rooms.remove],
    }),
  ];
}

type Caller = Pick<Call, 'actor' | 'principal' | 'immutable'>;
type ParentParams<Level extends MembershipLevel> = Readonly<Record<`${Level}_id`, Uuid>>;
/** `user_id` is the id of the user or of the membership. */
type MemberParams<Level extends MembershipLevel> = ParentParams<Level> & { readonly user_id: Uuid };

function membersOf<Level extends MembershipLevel>(level: Level) {
  const scopeOf = (params: ParentParams<Level>) => ({ level, resourceId: params[`${level}_id`] });
  const memberOf = (params: MemberParams<Level>) => ({ ...scopeOf(params), id: params.user_id });
  return {
    view: memberViews[level],
    parent: {
      column: membershipTables[level].key,
      require: (db: Dependencies['db'], id: Uuid) => requireMembershipScope(db, level, id),
    },
    require: (db: Dependencies['db'], resourceId: Uuid, id: Uuid) => requireMembership(db, level, resourceId, id),
    add: (dependencies: Dependencies, call: Caller & { params: ParentParams<Level>; body: MemberInput }) =>
      createMember(dependencies, scopeOf(call.params), call, call.body),
    change: (dependencies: Dependencies, call: Caller & { params: MemberParams<Level>; body: MemberChanges }) =>
      updateMember(dependencies, memberOf(call.params), call, call.body),
    remove: (dependencies: Dependencies, call: Caller & { params: MemberParams<Level> }) =>
      removeMember(dependencies, memberOf(call.params), call),
  };
}
