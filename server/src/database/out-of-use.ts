import { type RawBuilder, sql } from 'kysely';

/**
 * The update of `out_of_use_since`, the time when the row became unusable. If it already was unusable, the time is kept,
 * so that the grace period of running meetings does not restart.
 * @param isUsable whether the new status allows use; undefined if the status does not change
 */
export function outOfUseColumn(
  isUsable: boolean | undefined,
  now: unknown,
): { out_of_use_since?: RawBuilder<string> | null } {
  if (isUsable === undefined) return {};
  return { out_of_use_since: isUsable ? null : sql<string>`coalesce(out_of_use_since, ${now}::timestamptz)` };
}
