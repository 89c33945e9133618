import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import { type Selectable, sql } from 'kysely';
import { rowStore, removeUnlocked } from '../../database/row-store.ts';
import type { Notifications } from '../../database/tables.ts';
import type { Change, Tx } from '../../events/change.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';

export type NotificationRow = Omit<Selectable<Notifications>, 'details'> & { readonly details: NotificationDetails };

/** Values for the placeholders in the texts of the mail. */
export type NotificationDetails = Readonly<Record<string, string | number | boolean | null>>;

const notifications = rowStore<'notifications', NotificationRow>('notifications', 'notification');

export interface NewNotification {
  /** Each cause is mailed at most once. */
  readonly cause: string;
  readonly kind: NotificationKind;
  readonly customerId: Uuid | null;
  readonly details: NotificationDetails;
}

/** Stores the notifications with a new cause, and wakes the job that composes the mails. @returns their number */
export async function addNotifications(
  { tx, now, invalidate }: Pick<Change, 'tx' | 'now' | 'invalidate'>,
  newNotifications: readonly NewNotification[],
): Promise<number> {
  if (newNotifications.length === 0) return 0;
  const byCause = new Map(newNotifications.map((notification) => [notification.cause, notification]));
  const inserted = await tx
    .insertInto('notifications')
    .values(
      [...byCause.values()]
        // Always in the same order, against deadlocks.
        .toSorted((one, other) => (one.cause < other.cause ? -1 : 1))
        .map(({ cause, kind, customerId, details }) => ({
          id: newUuid(),
          cause,
          kind,
          customer_id: customerId,
          details: JSON.stringify(details),
          created_at: now,
        })),
    )
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('id')
    .execute();
  if (inserted.length > 0) invalidate('notifications');
  return inserted.length;
}

/** Locks the oldest notifications that no other worker handles. */
export async function lockUnhandledNotifications(tx: Tx, limit: number): Promise<NotificationRow[]> {
  return await notifications.select(tx, sql`handled_at is null order by id limit ${limit} for update skip locked`);
}

/** Erases the details; the cause stays. */
export async function markHandled(tx: Tx, ids: readonly Uuid[], now: string): Promise<void> {
  await sql`
    update notifications set handled_at = ${now}, details = '{}' where id = any(${[...ids]}::uuid[])
  `.execute(tx);
}

export async function removeHandledBefore(tx: Tx, instant: string, limit: number): Promise<number> {
  return await removeUnlocked(tx, 'notifications', sql`handled_at < ${instant} order by handled_at limit ${limit}`);
}

/** The first day after the window in which the usage counts: of the feature, or else of the subscription. */
const endOfWindow = sql`coalesce(usage.valid_until, subscription.ends_at)::text`;

export interface UsageWindow {
  /** The name of the feature. */
  readonly name: string;
  /** The first day after the window. */
  readonly end: string;
  readonly subscription: string;
  readonly customer_id: Uuid;
}

/** The current windows, keyed by `<subscription>:<tag>`. */
export async function findUsageWindows(
  tx: Tx,
  usages: readonly { readonly subscriptionId: Uuid; readonly tag: string }[],
): Promise<Map<string, UsageWindow>> {
  if (usages.length === 0) return new Map();
  const { rows } = await sql<UsageWindow & { subscription_id: Uuid; tag: string }>`
    select feature.subscription_id, feature.tag, feature.name, ${endOfWindow} as "end",
      subscription.name as subscription, subscription.subscriber_id as customer_id
    from unnest(${usages.map(({ subscriptionId }) => subscriptionId)}::uuid[], ${usages.map(({ tag }) => tag)}::text[])
      requested(subscription_id, tag)
    join subscription_features feature using (subscription_id, tag)
    join subscription_usages usage on usage.subscription_feature_id = feature.id
    join subscriptions subscription on subscription.id = feature.subscription_id
  `.execute(tx);
  return new Map(rows.map((row) => [`${row.subscription_id}:${row.tag}`, row]));
}

export interface NearLimit {
  readonly cause: string;
  readonly customer_id: Uuid;
  readonly subscription: string;
  readonly feature: string;
  readonly used: number;
  readonly value: string;
}

/** Usages of at least this percentage that have no notification yet. The index on `used_percent` selects the rows. */
export async function listNewNearLimits(
  tx: Tx,
  { today, percent, tags, limit }: { today: string; percent: number; tags: readonly string[]; limit: number },
): Promise<NearLimit[]> {
  const cause = sql`'limit_near:' || feature.subscription_id || ':' || feature.tag || ':' || ${endOfWindow}`;
  const { rows } = await sql<NearLimit>`
    select ${cause} as cause, subscription.subscriber_id as customer_id, subscription.name as subscription,
      feature.name as feature, usage.used + usage.handed_down as used, feature.value
    from subscription_usages usage
    join subscription_features feature on feature.id = usage.subscription_feature_id
    join subscriptions subscription on subscription.id = usage.subscription_id
    where usage.used_percent >= ${percent} and usage.used_percent < 100 and usage.used_percent > 0
      and feature.tag = any(${[...tags]}::text[]) and subscription.status in ('active', 'canceled')
      and (usage.valid_until is null or usage.valid_until > ${today})
      and not exists (select from notifications where notifications.cause = ${cause})
    order by usage.id limit ${limit}
  `.execute(tx);
  return rows;
}
