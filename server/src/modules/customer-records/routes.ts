import { addressEndpoints } from '@foyer/contract/resources/address.ts';
import { legalDocumentEndpoints } from '@foyer/contract/resources/legal-document.ts';
import { telephoneEndpoints } from '@foyer/contract/resources/telephone.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { noContent, type Route, route, row, rows } from '../../platform/http/input/call.ts';
import { requireCustomer } from '../customers/index.ts';
import { addAddress, deleteAddress, updateAddress } from './addresses.ts';
import { addLegalDocument, deleteLegalDocument, updateLegalDocument } from './legal-documents.ts';
import { requireAddress, requireLegalDocument, requireTelephone } from './store.ts';
import { addTelephone, deleteTelephone, updateTelephone } from './telephones.ts';
import { addressView, legalDocumentView, telephoneView } from './transformer.ts';

export function customerRecordRoutes(dependencies: Dependencies): Route[] {
  return [...addressRoutes(dependencies), ...telephoneRoutes(dependencies), ...legalDocumentRoutes(dependencies)];
}

function addressRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(addressEndpoints.listCustomerAddresses, async ({ params }) => {
      await requireCustomer(db, params.customer_id);
      return rows(addressView, sql`customer_addresses.customer_id = ${params.customer_id}`);
    }),
    route(addressEndpoints.createCustomerAddress, async ({ actor, params, body }) =>
      row(addressView, await addAddress(dependencies, actor, params.customer_id, body)),
    ),
    route(addressEndpoints.readCustomerAddress, async ({ params }) =>
      row(addressView, await requireAddress(db, params.customer_id, params.address_id)),
    ),
    route(addressEndpoints.updateCustomerAddress, async ({ actor, params, body, immutable }) =>
      row(
        addressView,
        await updateAddress(dependencies, actor, params.customer_id, params.address_id, body, immutable),
      ),
    ),
    route(addressEndpoints.deleteCustomerAddress, async ({ actor, params }) => {
      await deleteAddress(dependencies, actor, params.customer_id, params.address_id);
      return noContent;
    }),
  ];
}

function telephoneRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(telephoneEndpoints.listCustomerTelephones, async ({ params }) => {
      await requireCustomer(db, params.customer_id);
      return rows(telephoneView, sql`customer_telephones.customer_id = ${params.customer_id}`);
    }),
    route(telephoneEndpoints.createCustomerTelephone, async ({ actor, params, body }) =>
      row(telephoneView, await addTelephone(dependencies, actor, params.customer_id, body)),
    ),
    route(telephoneEndpoints.readCustomerTelephone, async ({ params }) =>
      row(telephoneView, await requireTelephone(db, params.customer_id, params.telephone_id)),
    ),
    route(telephoneEndpoints.updateCustomerTelephone, async ({ actor, params, body, immutable }) =>
      row(
        telephoneView,
        await updateTelephone(dependencies, actor, params.customer_id, params.telephone_id, body, immutable),
      ),
    ),
    route(telephoneEndpoints.deleteCustomerTelephone, async ({ actor, params }) => {
      await deleteTelephone(dependencies, actor, params.customer_id, params.telephone_id);
      return noContent;
    }),
  ];
}

function legalDocumentRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(legalDocumentEndpoints.listCustomerLegalDocuments, async ({ params }) => {
      await requireCustomer(db, params.customer_id);
      return rows(legalDocumentView, sql`customer_legal_documents.customer_id = ${params.customer_id}`);
    }),
    route(legalDocumentEndpoints.createCustomerLegalDocument, async ({ actor, params, body }) =>
      row(legalDocumentView, await addLegalDocument(dependencies, actor, params.customer_id, body)),
    ),
    route(legalDocumentEndpoints.readCustomerLegalDocument, async ({ params }) =>
      row(legalDocumentView, await requireLegalDocument(db, params.customer_id, params.legal_document_id)),
    ),
    route(legalDocumentEndpoints.updateCustomerLegalDocument, async ({ actor, params, body, immutable }) =>
      row(
        legalDocumentView,
        await updateLegalDocument(dependencies, actor, params.customer_id, params.legal_document_id, body, immutable),
      ),
    ),
    route(legalDocumentEndpoints.deleteCustomerLegalDocument, async ({ actor, params }) => {
      await deleteLegalDocument(dependencies, actor, params.customer_id, params.legal_document_id);
      return noContent;
    }),
  ];
}
