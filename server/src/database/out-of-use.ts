import { type RawBuilder, sql } from 'kysely';

/**
 * The instant since which the status forbids use. A change to another such status keeps it, so that the grace period of
 * running meetings does not restart. @param isUsable undefined if the status does not change
 */
export function outOfUse(
  isUsable: boolean | undefined,
  now: unknown,
): { out_of_use_since?: RawBuilder<string> | null } {
  if (isUsable === undefined) return {};
  return { out_of_use_since: isUsable ? null : sql<string>`coalesce(out_of_use_since, ${now}::timestamptz)` };
}
