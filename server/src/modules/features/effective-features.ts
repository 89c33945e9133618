import type { FeatureDefinition } from '@foyer/contract/resources/packages/feature-definition.ts';
import { limitOf, normalizeFeatureValue } from '@foyer/contract/resources/packages/feature-value.ts';

/** The value of a feature in a room, and where it comes from. */
export interface EffectiveFeature {
  readonly tag: string;
  readonly subscription: string | null;
  readonly room: string | null;
  /** Null only for a tag that is in neither the catalogue nor the subscription. */
  readonly used: string | null;
  readonly source: 'subscription' | 'room' | 'default';
}

/**
 * The features of the catalogue in its order, then other tags of the subscription and of the room.
 * @param subscription stored values by tag.
 * @param room the room's overrides; null means not set.
 */
export function effectiveFeatures(
  catalogue: readonly FeatureDefinition[],
  subscription: ReadonlyMap<string, string>,
  room: Readonly<Record<string, unknown>>,
): EffectiveFeature[] {
  const definitions = new Map(catalogue.map((definition) => [definition.code, definition]));
  const tags = new Set([...definitions.keys(), ...subscription.keys(), ...Object.keys(room)]);
  return Array.from(tags, (tag) =>
    effectiveFeature(
      definitions.get(tag) ?? { code: tag, valueType: 'text', absentValue: null },
      subscription.get(tag) ?? null,
      Object.hasOwn(room, tag) ? room[tag] : null,
    ),
  );
}

/**
 * The room's override applies if the subscription has the feature and the override does not exceed it. A higher limit,
 * a flag that the subscription has off, or another text is ignored.
 */
export function effectiveFeature(
  definition: Pick<FeatureDefinition, 'code' | 'valueType' | 'absentValue'>,
  subscription: string | null,
  override: unknown,
): EffectiveFeature {
  const isSet = override !== null && override !== undefined;
  const normalized = isSet ? normalizeFeatureValue(definition, override) : null;
  const room = normalized?.ok ? normalized.value : isSet ? printOverride(override) : null;
  const values = { tag: definition.code, subscription, room };
  if (subscription === null) return { ...values, used: definition.absentValue, source: 'default' };
  if (normalized?.ok && isWithin(definition.valueType, normalized.value, subscription)) {
    return { ...values, used: normalized.value, source: 'room' };
  }
  return { ...values, used: subscription, source: 'subscription' };
}

function isWithin(valueType: FeatureDefinition['valueType'], room: string, subscription: string): boolean {
  if (valueType === 'flag') return room === 'false' || subscription === 'true';
  if (valueType === 'text') return room === subscription;
  return (limitOf(room) ?? Infinity) <= (limitOf(subscription) ?? Infinity);
}

/** An invalid value is shown as it was written. */
function printOverride(override: unknown): string {
  return typeof override === 'string' ? override : JSON.stringify(override);
}
