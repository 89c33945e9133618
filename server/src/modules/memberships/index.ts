export { accountsInReach, customersInReach, roomsInReach, usersInReach } from './reach.ts';
export { rightsOf } from './rights.ts';
