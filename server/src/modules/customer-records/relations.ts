import { sql } from 'kysely';
import { customerView } from '../customers/index.ts';
import { visibleCustomers } from '../memberships/index.ts';
import { belongsTo, hasMany, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { addressView, legalDocumentView, telephoneView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: addressView, condition: (userId) => sql`customer_addresses.customer_id in ${visibleCustomers(userId)}` },
  { view: telephoneView, condition: (userId) => sql`customer_telephones.customer_id in ${visibleCustomers(userId)}` },
  {
    view: legalDocumentView,
    condition: (userId) => sql`customer_legal_documents.customer_id in ${visibleCustomers(userId)}`,
  },
];

export const relations: readonly NamedRelation[] = [
  relation(customerView, 'addresses', hasMany(addressView, 'customer_id')),
  relation(customerView, 'telephones', hasMany(telephoneView, 'customer_id')),
  relation(customerView, 'legal_documents', hasMany(legalDocumentView, 'customer_id')),
  ...[addressView, telephoneView, legalDocumentView].map((view) =>
    relation(view, 'customer', belongsTo(customerView, 'customer_id')),
  ),
];
