import { defineModule } from '../../module.ts';
import { accountUserView, customerUserView, roomUserView } from './transformer.ts';
import { relations, tenantScopes } from './relations.ts';
import { removeMembershipsOf, removeMembershipsOfUser } from './remove-member.ts';
import { membershipRoutes } from './routes.ts';

export { addMember } from './add-member.ts';
export { addCreator, addOwner } from './add-owner.ts';
export {
  visibleAccounts,
  visibleCustomers,
  visibleCustomersOfEvents,
  customersOfUser,
  visibleRooms,
  tenantsOfUser,
  visibleUsers,
  allowsAccess,
} from './visible-resources.ts';
export { registrationFaults } from './registration-domains.ts';
export { type Grantor, requireGrantable } from './grant-rules.ts';
export { memberRelations } from './relations.ts';
export { rightsOf } from './rights.ts';
export {
  belongsToCustomer,
  findOwnerId,
  lockMembershipScope,
  type MembershipScope,
  requireMembershipScope,
} from './store.ts';

export const memberships = defineModule({
  name: 'memberships',
  routes: membershipRoutes,
  views: { AccountUser: accountUserView, CustomerUser: customerUserView, RoomUser: roomUserView },
  relations,
  tenantScopes,
  // Memberships are deleted with their user and with their resource.
  reactions: {
    'user.deleting': (change, { userId }) => removeMembershipsOfUser(change, userId),
    'customer.deleting': (change, { customerId }) => removeMembershipsOf(change, 'customer', 'resource', customerId),
    'account.deleting': (change, { accountId }) => removeMembershipsOf(change, 'account', 'resource', accountId),
    'room.deleting': (change, { roomId }) => removeMembershipsOf(change, 'room', 'resource', roomId),
  },
});
