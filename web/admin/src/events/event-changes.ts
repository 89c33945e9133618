import { isSame } from '../../../kit/form/form-values.ts';
import { labelOf } from '../../../kit/format/label.ts';
import { featureName } from '../../../kit/format/feature-values.ts';
import type { EventRow } from '../nouns/rows.ts';

export type Members = Readonly<Record<string, unknown>>;
export type EventLike = Pick<EventRow, 'name' | 'resource_type' | 'resource_id' | 'actor'> & {
  readonly data: Members;
  readonly previous: Members | null;
};

export interface MemberChange {
  readonly name: string;
  readonly label: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The changed members. Maps such as settings are split into their members, and computed members are left out. */
export function changesOf({ data, previous }: Pick<EventLike, 'data' | 'previous'>): MemberChange[] {
  const names = Object.keys(previous ?? {}).filter((name) => !isComputedFromChanged(name, previous ?? {}));
  return names.flatMap((name) => {
    const [before, after] = [previous?.[name], data[name]];
    if (!isMap(before) && !isMap(after)) return [{ name, label: labelOf(name), before, after }];
    return membersOf(before, after).map((change) => ({
      ...change,
      label: /_?features$/.test(name) ? featureName(change.name) : labelOf(change.name),
    }));
  });
}

function membersOf(before: unknown, after: unknown): Pick<MemberChange, 'name' | 'before' | 'after'>[] {
  const [older, newer] = [before, after].map((map) => (isMap(map) ? map : {})) as [Members, Members];
  return [...new Set([...Object.keys(older), ...Object.keys(newer)])]
    .filter((name) => !isSame(older[name], newer[name]))
    .map((name) => ({ name, before: older[name] ?? null, after: newer[name] ?? null }));
}

/** False for arrays. The API may return an empty map as `[]`. */
function isMap(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For each computed member, the members that it is computed from. */
const sourceMembers: Readonly<Record<string, readonly string[]>> = {
  full_name: ['first_name', 'last_name'],
  effective_status: ['status'],
  is_active: ['status'],
  is_usable: ['status', 'cancels_at', 'ends_at'],
  unusable_because: ['status', 'cancels_at', 'ends_at'],
  last_day_of_use: ['status', 'cancels_at', 'ends_at', 'grace_period'],
  url: ['slug', 'room_name'],
  has_email_verified: ['email_verified_at'],
};

function isComputedFromChanged(name: string, changed: Members): boolean {
  if (name === 'updated_at' || name.startsWith('readable_')) return true;
  return sourceMembers[name]?.some((source) => source in changed) ?? false;
}
