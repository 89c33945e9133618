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

/** Events of tokens that are or were moderator tokens, which only users with the right `moderate` see. */
const isAboutModeratorToken = sql`(events.resource_type = 'RoomToken'
  and (coalesce(events.data ->> 'role' = 'moderator', false) or coalesce(events.previous ->> 'role' = 'moderator', false)))`;

export const tenantScopes: readonly TenantScope[] = [
  {
    view: eventView,
    condition: (userId) => {
      const alternatives = Array.from(
        typesByRight(),
        ([right, types]) =>
          sql`events.resource_type = any(${[...types]}::text[]) and events.customer_id in ${visibleCustomersOfEvents(userId, right)}`,
      );
      return sql`(not (${isAboutModeratorToken} and events.customer_id not in ${visibleCustomersOfEvents(userId, 'moderate')})
        and (${sql.join(alternatives, sql` or `)}))`;
    },
  },
];
