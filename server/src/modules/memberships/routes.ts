import type { MembershipLevel } from '@foyer/contract/conventions/rights.ts';
import {
  accountUserEndpoints,
  customerUserEndpoints,
  roomUserEndpoints,
} from '@foyer/contract/resources/users/membership.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Call, noContent, type Result, type Route, route, row, rows } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { createMember, type MemberInput } from './add-member.ts';
import { removeMember } from './remove-member.ts';
import { membershipTables, requireMembership, requireMembershipScope } from './store.ts';
import { memberViews } from './transformer.ts';
import { type MemberChanges, updateMember } from './update-member.ts';

export function membershipRoutes(dependencies: Dependencies): Route[] {
  return [...customerRoutes(dependencies), ...accountRoutes(dependencies), ...roomRoutes(dependencies)];
}

function customerRoutes(dependencies: Dependencies): Route[] {
  const users = createHandlers(dependencies, 'customer');
  return [
    route(customerUserEndpoints.listCustomerUsers, ({ params }) => users.list(params.customer_id)),
    route(customerUserEndpoints.createCustomerUser, (call) => users.create(call, call.params.customer_id, call.body)),
    route(customerUserEndpoints.readCustomerUser, ({ params }) => users.read(params.customer_id, params.user_id)),
    route(customerUserEndpoints.updateCustomerUser, (call) =>
      users.update(call, call.params.customer_id, call.params.user_id, call.body),
    ),
    route(customerUserEndpoints.deleteCustomerUser, (call) =>
      users.remove(call, call.params.customer_id, call.params.user_id),
    ),
  ];
}

function accountRoutes(dependencies: Dependencies): Route[] {
  const users = createHandlers(dependencies, 'account');
  return [
    route(accountUserEndpoints.listAccountUsers, ({ params }) => users.list(params.account_id)),
    route(accountUserEndpoints.createAccountUser, (call) => users.create(call, call.params.account_id, call.body)),
    route(accountUserEndpoints.readAccountUser, ({ params }) => users.read(params.account_id, params.user_id)),
    route(accountUserEndpoints.updateAccountUser, (call) =>
      users.update(call, call.params.account_id, call.params.user_id, call.body),
    ),
    route(accountUserEndpoints.deleteAccountUser, (call) =>
      users.remove(call, call.params.account_id, call.params.user_id),
    ),
  ];
}

function roomRoutes(dependencies: Dependencies): Route[] {
  const users = createHandlers(dependencies, 'room');
  return [
    route(roomUserEndpoints.listRoomUsers, ({ params }) => users.list(params.room_id)),
    route(roomUserEndpoints.createRoomUser, (call) => users.create(call, call.params.room_id, call.body)),
    route(roomUserEndpoints.readRoomUser, ({ params }) => users.read(params.room_id, params.user_id)),
    route(roomUserEndpoints.updateRoomUser, (call) =>
      users.update(call, call.params.room_id, call.params.user_id, call.body),
    ),
    route(roomUserEndpoints.deleteRoomUser, (call) => users.remove(call, call.params.room_id, call.params.user_id)),
  ];
}

type Caller = Pick<Call, 'actor' | 'principal' | 'immutable'>;

/** `id` is that of the user or of the membership. */
function createHandlers(dependencies: Dependencies, level: MembershipLevel) {
  const { db } = dependencies;
  const view = memberViews[level];
  return {
    async list(resourceId: Uuid): Promise<Result> {
      await requireMembershipScope(db, level, resourceId);
      return rows(view, sql`${sql.ref(`${view.table}.${membershipTables[level].key}`)} = ${resourceId}`);
    },
    create: async (caller: Caller, resourceId: Uuid, input: MemberInput) =>
      row(view, await createMember(dependencies, { level, resourceId }, caller, input)),
    read: async (resourceId: Uuid, id: Uuid) => row(view, await requireMembership(db, level, resourceId, id)),
    update: async (caller: Caller, resourceId: Uuid, id: Uuid, changes: MemberChanges) =>
      row(view, await updateMember(dependencies, { level, resourceId, id }, caller, changes)),
    async remove(caller: Caller, resourceId: Uuid, id: Uuid): Promise<Result> {
      await removeMember(dependencies, { level, resourceId, id }, caller);
      return noContent;
    },
  };
}
