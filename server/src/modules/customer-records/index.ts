import { defineModule } from '../../module.ts';
import { addressView, legalDocumentView, telephoneView } from './transformer.ts';
import { deleteRecordsOfCustomer } from './records.ts';
import { relations, tenantScopes } from './relations.ts';
import { customerRecordRoutes } from './routes.ts';

export const customerRecords = defineModule({
  name: 'customer-records',
  routes: customerRecordRoutes,
  views: { Address: addressView, LegalDocument: legalDocumentView, Telephone: telephoneView },
  relations,
  tenantScopes,
  reactions: { 'customer.deleting': (change, { customerId }) => deleteRecordsOfCustomer(change, customerId) },
});
