import { sql } from 'kysely';
import type { Change, Tx } from '../../../events/change.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import { eventAbout } from '../../../events/row-event.ts';
import { findSubscription } from '../store.ts';

/** Emits `subscription.limit_reached`, at most once an hour for each feature. */
export async function emitLimitReached(
  change: Change,
  { subscriptionId, tag, limit, used }: ReactionSubjects['limit.refused'],
): Promise<void> {
  const subscription = await findSubscription(change.tx, subscriptionId);
  if (!subscription || !(await recordEmission(change.tx, { subscriptionId, tag, now: change.now }))) return;
  const eventData = { customerId: subscription.subscriber_id, details: { feature: { tag, limit, used } } };
  await change.emit(eventAbout('subscription.limit_reached', subscriptionId, eventData));
}

interface RefusedLimit {
  readonly subscriptionId: string;
  readonly tag: string;
  readonly now: string;
}

/**
 * Stores the time of the event. Returns false if an event was emitted within the last hour. Reads before it writes, so
 * that many refusals at the same time do not wait for each other.
 */
async function recordEmission(tx: Tx, { subscriptionId, tag, now }: RefusedLimit): Promise<boolean> {
  const hourAgo = sql`${now}::timestamptz - interval '1 hour'`;
  const { rows: recent } = await sql`
    select from refused_limits
    where subscription_id = ${subscriptionId}::uuid and tag = ${tag} and emitted_at > ${hourAgo}
  `.execute(tx);
  if (recent.length > 0) return false;
  const { rows } = await sql`
    insert into refused_limits (subscription_id, tag, emitted_at) values (${subscriptionId}::uuid, ${tag}, ${now})
    on conflict (subscription_id, tag) do update set emitted_at = excluded.emitted_at
      where refused_limits.emitted_at <= ${hourAgo}
    returning 1
  `.execute(tx);
  return rows.length > 0;
}
