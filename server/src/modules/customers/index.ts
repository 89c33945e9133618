export { type Appearance, appearanceOf, withAppearance } from './appearance.ts';
export { whenCustomerIsDeleted, whenCustomerIsTerminated } from './consequences.ts';
export { type CustomerStatus, type CustomerUse, customerUse } from './customer-status.ts';
export { heldAfter, isHeldAgainst } from './held-by-platform.ts';
export { type CustomerRow, lockCustomer, requireCustomer, shareCustomer } from './store.ts';
export { customerView } from './transformer.ts';
export { lockCustomerForUse } from './use-customer.ts';
