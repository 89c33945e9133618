import { addressEndpoints } from '@foyer/contract/resources/customers/address.ts';
import { legalDocumentEndpoints } from '@foyer/contract/resources/customers/legal-document.ts';
import { telephoneEndpoints } from '@foyer/contract/resources/customers/telephone.ts';
import { nestedRoutes } from '../../nested-routes.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Route } from '../../platform/http/input/call.ts';
import { requireCustomer } from '../customers/index.ts';
import { addAddress, deleteAddress, updateAddress } from './addresses.ts';
import { addLegalDocument, deleteLegalDocument, updateLegalDocument } from './legal-documents.ts';
import { addressStore, legalDocumentStore, telephoneStore } from './store.ts';
import { addTelephone, deleteTelephone, updateTelephone } from './telephones.ts';
import { addressView, legalDocumentView, telephoneView } from './transformer.ts';

const parent = { column: 'customer_id', require: requireCustomer };

export function customerRecordRoutes(dependencies: Dependencies): Route[] {
  return [
    ...nestedRoutes(dependencies, {
      parent,
      view: addressView,
      require: addressStore.require,
      list: addressEndpoints.listCustomerAddresses,
      read: addressEndpoints.readCustomerAddress,
      create: [addressEndpoints.createCustomerAddress, addAddress],
      update: [addressEndpoints.updateCustomerAddress, updateAddress],
      delete: [addressEndpoints.deleteCustomerAddress, deleteAddress],
    }),
    ...nestedRoutes(dependencies, {
      parent,
      view: telephoneView,
      require: telephoneStore.require,
      list: telephoneEndpoints.listCustomerTelephones,
      read: telephoneEndpoints.readCustomerTelephone,
      create: [telephoneEndpoints.createCustomerTelephone, addTelephone],
      update: [telephoneEndpoints.updateCustomerTelephone, updateTelephone],
      delete: [telephoneEndpoints.deleteCustomerTelephone, deleteTelephone],
    }),
    ...nestedRoutes(dependencies, {
      parent,
      view: legalDocumentView,
      require: legalDocumentStore.require,
      list: legalDocumentEndpoints.listCustomerLegalDocuments,
      read: legalDocumentEndpoints.readCustomerLegalDocument,
      create: [legalDocumentEndpoints.createCustomerLegalDocument, addLegalDocument],
      update: [legalDocumentEndpoints.updateCustomerLegalDocument, updateLegalDocument],
      delete: [legalDocumentEndpoints.deleteCustomerLegalDocument, deleteLegalDocument],
    }),
  ];
}
