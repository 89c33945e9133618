import { features, findFeature } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectiveFeature, effectiveFeatures } from './effective-features.ts';

function effectiveValue(tag: string, subscription: string | null, room: unknown): string | null {
  const definition = findFeature(tag);
  if (!definition) throw new Error(`No feature ${tag}`);
  return effectiveFeature(definition, subscription, room).used;
}

test.each([
  ['not set: inherited', 'max_participants', '100', undefined, '100', 'subscription'],
  ['set to null: inherited', 'max_participants', '100', null, '100', 'subscription'],
  ['lower: used', 'max_participants', '100', 50, '50', 'room'],
  ['lower, as text: used', 'max_participants', '100', '50', '50', 'room'],
  ['zero: used', 'max_participants', '100', 0, '0', 'room'],
  ['equal: used', 'max_duration', '60', '60', '60', 'room'],
  ['higher: ignored', 'max_participants', '100', '101', '100', 'subscription'],
  ['higher by number, lower as text: ignored', 'max_participants', '9', '10', '9', 'subscription'],
  ['unlimited over a limit: ignored', 'max_participants', '100', true, '100', 'subscription'],
  ['a limit below unlimited: used', 'max_participants', 'unlimited', '100', '100', 'room'],
  ['unlimited in the room and the subscription: used', 'max_participants', 'unlimited', -1, 'unlimited', 'room'],
  ['not a limit: ignored', 'max_participants', '100', 'many', '100', 'subscription'],
  ['flag on in the room and the subscription: used', 'recording', 'true', true, 'true', 'room'],
  ['flag switched off: used', 'recording', 'true', 'N', 'false', 'room'],
  ['flag switched on: ignored', 'recording', 'false', true, 'false', 'subscription'],
  ['not a flag: ignored', 'recording', 'true', 'maybe', 'true', 'subscription'],
  ['limit absent from the subscription', 'max_participants', null, 50, 'unlimited', 'default'],
  ['countable absent from the subscription', 'max_rooms', null, 50, '0', 'default'],
  ['flag absent from the subscription', 'recording', null, true, 'false', 'default'],
  ['absent on both', 'recording', null, undefined, 'false', 'default'],
] as const)('%s', (_case, tag, subscription, room, used, source) => {
  const definition = findFeature(tag);
  expect(definition && effectiveFeature(definition, subscription, room)).toMatchObject({
    tag,
    subscription,
    used,
    source,
  });
});

test('each feature has three values: that of the subscription, that of the room, and the effective one', () => {
  const subscription = new Map([
    ['max_participants', '100'],
    ['max_duration', '60'],
    ['recording', 'true'],
  ]);
  const room = { max_participants: 50, max_duration: '60', recording: true };
  const effective = effectiveFeatures(features, subscription, room);
  expect(effective.map(({ tag }) => tag)).toEqual(features.map(({ code }) => code));
  expect(effective.filter(({ subscription: sold }) => sold !== null)).toEqual([
    { tag: 'max_participants', subscription: '100', room: '50', used: '50', source: 'room' },
    { tag: 'max_duration', subscription: '60', room: '60', used: '60', source: 'room' },
    { tag: 'recording', subscription: 'true', room: 'true', used: 'true', source: 'room' },
  ]);
});

test('tags outside the catalogue are listed last, and a room can set them only if its subscription has them', () => {
  const effective = effectiveFeatures(features, new Map([['brand', 'gold']]), {
    brand: 'silver',
    constructor: true,
    unknown: { deep: [1] },
  });
  expect(effective.slice(features.length)).toEqual([
    { tag: 'brand', subscription: 'gold', room: 'silver', used: 'gold', source: 'subscription' },
    { tag: 'constructor', subscription: null, room: 'true', used: null, source: 'default' },
    { tag: 'unknown', subscription: null, room: '{"deep":[1]}', used: null, source: 'default' },
  ]);
  expect(effectiveFeatures([], new Map([['constructor', 'x']]), {})).toEqual([
    { tag: 'constructor', subscription: 'x', room: null, used: 'x', source: 'subscription' },
  ]);
});

test('no room setting exceeds the features of its subscription', () => {
  const stored = fc.oneof(fc.nat({ max: 300 }).map(String), fc.constant('unlimited'));
  const written = fc.oneof(stored, fc.integer(), fc.boolean(), fc.string(), fc.constant(null));
  fc.assert(
    fc.property(stored, written, (subscription, room) => {
      const used = limitOf(effectiveValue('max_participants', subscription, room) ?? '');
      expect(used ?? Infinity).toBeLessThanOrEqual(limitOf(subscription) ?? Infinity);
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom('false', null), written, (subscription, room) => {
      expect(effectiveValue('screen_sharing', subscription, room)).toBe('false');
    }),
  );
});
