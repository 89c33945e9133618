import { type FeatureDefinition, limitOf, normalizeFeatureValue } from '@foyer/contract/resources/features.ts';

/** Of one feature: what the subscription has, what the room sets, and what holds in the room. */
export interface EffectiveFeature {
  readonly tag: string;
  readonly subscription: string | null;
  readonly room: string | null;
  /** Null only for a tag that neither the catalogue nor the subscription knows. */
  readonly used: string | null;
  readonly source: 'subscription' | 'room' | 'default';
}

/**
 * All features of the catalogue in its order, then other tags of the subscription and of the room. `subscription` maps
 * tags to stored values; `room` is the room's overrides as they were written, null meaning not set.
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
 * What is not set on the room is inherited; what is set is used; what the subscription does not have, or what goes
 * beyond it, is ignored: a higher limit, a flag that the subscription has off, any other text.
 */
export function effectiveFeature(
  definition: Pick<FeatureDefinition, 'code' | 'valueType' | 'absentValue'>,
  subscription: string | null,
  override: unknown,
): EffectiveFeature {
  const isSet = override !== null && override !== undefined;
  const normalized = isSet ? normalizeFeatureValue(definition, override) : null;
  const room = normalized?.ok ? normalized.value : isSet ? printOverride(override) : null;
  const seen = { tag: definition.code, subscription, room };
  if (subscription === null) return { ...seen, used: definition.absentValue, source: 'default' };
  if (normalized?.ok && isWithin(definition.valueType, normalized.value, subscription)) {
    return { ...seen, used: normalized.value, source: 'room' };
  }
  return { ...seen, used: subscription, source: 'subscription' };
}

function isWithin(valueType: FeatureDefinition['valueType'], room: string, subscription: string): boolean {
  if (valueType === 'flag') return room === 'false' || subscription === 'true';
  if (valueType === 'text') return room === subscription;
  return (limitOf(room) ?? Infinity) <= (limitOf(subscription) ?? Infinity);
}

/** A value that makes no sense for the feature is shown as it was written. */
function printOverride(override: unknown): string {
  return typeof override === 'string' ? override : JSON.stringify(override);
}
