import { defineModule } from '../../module.ts';
import { relations, tenantScopes } from './relations.ts';
import { customerRecordRoutes } from './routes.ts';

export const customerRecords = defineModule({
  name: 'customer-records',
  routes: customerRecordRoutes,
  relations,
  tenantScopes,
});
