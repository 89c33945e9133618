export { addOpener, addOwner } from './add-owner.ts';
export { accountsInReach, customersInReach, roomsInReach, usersInReach } from './reach.ts';
export { rightsOf } from './rights.ts';
export { findOwnerId } from './store.ts';
