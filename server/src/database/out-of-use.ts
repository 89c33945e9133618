import { type RawBuilder, sql } from 'kysely';

/**
 * Since when a row's status forbids its use. A further change of the status keeps the instant: the grace period of
 * running meetings does not restart. @param isUsable undefined if the status does not change
 */
export function outOfUse(
  isUsable: boolean | undefined,
  now: unknown,
): { out_of_use_since?: RawBuilder<string> | null } {
  if (isUsable === undefined) return {};
  return { out_of_use_since: isUsable ? null : sql<string>`coalesce(out_of_use_since, ${now}::timestamptz)` };
}
