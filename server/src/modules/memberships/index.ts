import { whenUserIsDeleted } from '../users/index.ts';
import { removeMembershipsOfUser } from './remove-member.ts';

export { addMember } from './add-member.ts';
export { addOpener, addOwner } from './add-owner.ts';
export {
  accountsInReach,
  customersInReach,
  customersOfUser,
  roomsInReach,
  tenantsOfUser,
  usersInReach,
  withAccess,
} from './reach.ts';
export { registrationFaults } from './registration-domains.ts';
export { rightsOf } from './rights.ts';
export { type Giver, refuseHandingOut } from './rights-handed-out.ts';
export { belongsToCustomer, findOwnerId, lockPlace, type Place, requirePlace } from './store.ts';
export { accountUserView, customerUserView, roomUserView } from './transformer.ts';

whenUserIsDeleted.add(removeMembershipsOfUser);
