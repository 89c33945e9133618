import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { visibleCustomers, visibleRooms } from '../../memberships/index.ts';
import type { SubscriptionRow } from '../../subscriptions/index.ts';

export interface CustomerFact {
  readonly id: Uuid;
  readonly name: string;
  readonly status: string;
}

/** The customer and the resellers above it, the topmost first. */
export async function customerWithAncestors(db: Database, id: Uuid): Promise<CustomerFact[]> {
  const { rows } = await sql<CustomerFact>`
    select id, coalesce(company_name, full_name) as name, status from customers
    where id = ${id} or id = any((select ancestors from customers where id = ${id})::uuid[])
    order by cardinality(ancestors)
  `.execute(db);
  return rows;
}

/** The customers that the user may read. */
export async function readableCustomers(db: Database, userId: Uuid, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  const { rows } = await sql<{ id: Uuid }>`
    select id from customers where id = any(${[...ids]}::uuid[]) and id in ${visibleCustomers(userId)}
  `.execute(db);
  return new Set(idsOf(rows));
}

/** The subscriptions, that of the topmost reseller first. */
export async function subscriptionsOf(db: Database, ids: readonly Uuid[]): Promise<SubscriptionRow[]> {
  return await db
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy(sql`cardinality(ancestors)`)
    .execute();
}

export interface AttachedProvider {
  readonly id: Uuid;
  readonly provider_name: string;
  readonly provider_type: string;
  /** Whether the provider itself is switched on. */
  readonly is_on: boolean;
  /** Whether the provider is switched on in the subscription. */
  readonly is_used: boolean;
}

/** All providers of the subscription, usable or not. */
export async function attachedProviders(db: Database, subscriptionId: Uuid): Promise<AttachedProvider[]> {
  return await db
    .selectFrom('subscription_providers as attached')
    .innerJoin('service_providers as provider', 'provider.id', 'attached.service_provider_id')
    .select(['provider.id', 'provider_name', 'provider_type', 'provider.active as is_on', 'attached.active as is_used'])
    .where('subscription_id', '=', subscriptionId)
    .orderBy('is_default', 'desc')
    .orderBy('attached.id')
    .execute();
}

export interface ProviderHealthFact {
  readonly id: Uuid;
  readonly provider_name: string;
  readonly provider_type: string;
  readonly state: string;
  readonly since: string | null;
  readonly problem: string | null;
}

export async function findProviderHealth(db: Database, providerId: Uuid): Promise<ProviderHealthFact | undefined> {
  return await db
    .selectFrom('service_providers as provider')
    .leftJoin('service_provider_health as health', 'health.service_provider_id', 'provider.id')
    .select([
      'provider.id',
      'provider_name',
      'provider_type',
      sql<string>`coalesce(health.state, 'unknown')`.as('state'),
      sql<string | null>`case when health.state = 'down' then health.since else health.last_failure_at end`.as('since'),
      'health.problem',
    ])
    .where('provider.id', '=', providerId)
    .executeTakeFirst();
}

export interface UsageFact {
  readonly subscription_id: Uuid;
  readonly value: string;
  readonly used: number;
  readonly valid_until: string | null;
}

/**
 * The limits of minutes in the subscriptions with their usage, that of the topmost reseller first. Usage of a period
 * that is over reads as 0.
 */
export async function minutesOf(db: Database, subscriptionIds: readonly Uuid[], today: string): Promise<UsageFact[]> {
  const { rows } = await sql<UsageFact>`
    select feature.subscription_id, feature.value, usage.valid_until,
      case when usage.valid_until <= ${today}::date then 0 else usage.used end as used
    from subscription_features feature
    join subscription_usages usage on usage.subscription_feature_id = feature.id
    join subscriptions subscription on subscription.id = feature.subscription_id
    where feature.tag in ('participant_minutes', 'viewer_minutes') and feature.subscription_id = any(${[...subscriptionIds]}::uuid[])
    order by cardinality(subscription.ancestors)
  `.execute(db);
  return rows;
}

/** The room of the token. If `userId` is set, only a room that this user may read. */
export async function roomOfToken(
  db: Database,
  tokenHash: Buffer,
  userId: Uuid | null,
): Promise<{ id: Uuid; room_name: string } | undefined> {
  const { rows } = await sql<{ id: Uuid; room_name: string }>`
    select rooms.id, room_name from room_tokens join rooms on rooms.id = room_id
    where token_hash = ${tokenHash} and ${userId === null ? sql`true` : sql`rooms.id in ${visibleRooms(userId)}`}
  `.execute(db);
  return rows[0];
}
