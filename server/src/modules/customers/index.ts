import { defineModule } from '../../module.ts';
import { customerView } from './transformer.ts';
import { relations, tenantScopes } from './relations.ts';
import { customerRoutes } from './routes.ts';

export { type Appearance, appearanceOf, withAppearance } from './appearance.ts';
export { createCustomer } from './create-customer.ts';
export { type CustomerStatus, type CustomerUse, customerUse } from './rules/customer-status.ts';
export { heldByPlatformAfter, isBlockedByHold } from './platform-hold.ts';
export {
  type CustomerRow,
  forgetCustomersDeletedBefore,
  lockCustomer,
  requireCustomer,
  lockCustomerForShare,
} from './store.ts';
export { customerView } from './transformer.ts';
export { lockCustomerForUse } from './use-customer.ts';

export const customers = defineModule({
  name: 'customers',
  routes: customerRoutes,
  views: { Customer: customerView },
  relations,
  tenantScopes,
});
