export { whenCustomerIsDeleted, whenCustomerIsTerminated } from './consequences.ts';
export { type CustomerStatus, type CustomerUse, customerUse } from './customer-status.ts';
export { type CustomerRow, findOwnerId, lockCustomer, requireCustomer, shareCustomer } from './store.ts';
export { customerView } from './transformer.ts';
export { lockCustomerForUse } from './use-customer.ts';
export { requireUser, type UserRow } from './user-store.ts';
export { userSelfView, userView } from './user-transformer.ts';
