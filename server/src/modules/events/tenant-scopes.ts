import { endpoints } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { Right } from '@foyer/contract/conventions/rights.ts';
import { sql } from 'kysely';
import type { TenantScope } from '../../platform/list-query/view.ts';
import { typeOfResource } from '../audit/index.ts';
import { visibleCustomersOfEvents } from '../memberships/index.ts';
import { eventView } from './transformer.ts';

/** The types of resources that each right lets users read. */
function typesByRight(): Map<Right, Set<string>> {
  const types = new Map<Right, Set<string>>();
  for (const { access, answer, method } of Object.values<Endpoint>(endpoints)) {
    const isRead = method === 'GET' && (answer.kind === 'list' || answer.kind === 'resource');
    if (!isRead || access.kind !== 'permission' || !access.users) continue;
    const { right } = access.users;
    types.set(right, (types.get(right) ?? new Set()).add(typeOfResource(answer.resource)));
  }
  return types;
}

/** The types of resources that users can read with some right. */
export function typesForUsers(): string[] {
  return [...new Set([...typesByRight().values()].flatMap((types) => [...types]))];
}

export const tenantScopes: readonly TenantScope[] = [
  {
    view: eventView,
    condition: (userId) =>
      sql`(${sql.join(
        Array.from(
          typesByRight(),
          ([right, types]) =>
            sql`events.resource_type = any(${[...types]}::text[]) and events.customer_id in ${visibleCustomersOfEvents(userId, right)}`,
        ),
        sql` or `,
      )})`,
  },
];
