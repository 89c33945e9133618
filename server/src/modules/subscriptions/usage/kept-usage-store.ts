import { sql } from 'kysely';
import type { Change, Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export interface KeptUsage {
  readonly tag: string;
  readonly used: number;
  readonly validUntil: string | null;
}

/** Saves the usage of features about to be removed. */
export async function keepUsages(tx: Tx, subscriptionId: Uuid, usages: readonly KeptUsage[]): Promise<void> {
  if (usages.length === 0) return;
  await sql`
    insert into subscription_kept_usages (subscription_id, tag, used, valid_until)
    select ${subscriptionId}::uuid, tag, used, valid_until
    from unnest(${usages.map(({ tag }) => tag)}::text[], ${usages.map(({ used }) => used)}::bigint[],
      ${usages.map(({ validUntil }) => validUntil)}::date[]) kept(tag, used, valid_until)
    on conflict (subscription_id, tag) do update set used = excluded.used, valid_until = excluded.valid_until
  `.execute(tx);
}

/** Restores the saved usage of features that are added again within the same window. The caller locks the usages. */
export async function restoreUsages(
  { tx, today, now }: Pick<Change, 'tx' | 'today' | 'now'>,
  subscriptionId: Uuid,
  tags: readonly string[],
): Promise<void> {
  await sql`
    with kept as (
      delete from subscription_kept_usages
      where subscription_id = ${subscriptionId} and (tag = any(${tags}::text[]) or valid_until <= ${today})
      returning *
    )
    update subscription_usages usage set used = kept.used, updated_at = ${now}
    from kept join subscription_features feature
      on feature.subscription_id = kept.subscription_id and feature.tag = kept.tag
    where usage.subscription_feature_id = feature.id and (kept.valid_until is null or kept.valid_until > ${today})
  `.execute(tx);
}
