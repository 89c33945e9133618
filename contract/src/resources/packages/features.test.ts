import fc from 'fast-check';
import { expect, test } from 'vitest';
import { features, featuresOf, findFeature } from './features.ts';
import { limitOf, normalizeFeatureValue } from './feature-value.ts';

const limit = { code: 'max_rooms', valueType: 'limit' } as const;
const flag = { code: 'recording', valueType: 'flag' } as const;
const text = { code: 'note', valueType: 'text' } as const;

test('the catalogue lists every code once, in a fixed order', () => {
  expect(features.map((feature) => feature.code)).toEqual([
    'max_accounts',
    'max_rooms',
    'max_participants',
    'max_concurrent_participants',
    'max_concurrent_meetings',
    'max_duration',
    'participant_minutes',
    'recording',
    'max_recordings',
    'max_storage',
    'record_expiration',
    'screen_sharing',
    'webcams',
    'public_chat',
    'private_chat',
    'polls',
    'shared_notes',
    'presentation_upload',
    'breakout_rooms',
    'virtual_backgrounds',
    'captions',
    'learning_dashboard',
    'external_videos',
    'raise_hand',
    'layouts',
    'max_viewers',
    'viewer_minutes',
    'max_videos',
    'max_upload_size',
    'max_resolution',
    'transcoding_minutes',
    'max_bitrate',
    'stream_minutes',
    'dvr_minutes',
    'max_outputs',
    'low_latency',
    'adaptive_bitrate',
    'download',
    'guest_access',
    'allow_create_account',
    'allow_delete_account',
  ]);
});

test('a feature is found only by its code', () => {
  expect(findFeature('max_rooms')?.name).toBe('Rooms');
  for (const code of ['', 'Max_Rooms', 'constructor', '__proto__']) {
    expect(findFeature(code)).toBeNull();
  }
});

test('only limits of counted resources and of minutes are consumable, and only minutes are reset', () => {
  const consumable = features.filter((feature) => feature.consumable);
  expect(consumable.map(({ code, resettablePeriod }) => [code, resettablePeriod])).toEqual([
    ['max_accounts', 0],
    ['max_rooms', 0],
    ['participant_minutes', 1],
    ['viewer_minutes', 1],
    ['max_videos', 0],
    ['transcoding_minutes', 1],
    ['stream_minutes', 1],
    ['max_outputs', 0],
  ]);
});

test('without the feature, the listed limits are 0, other limits do not apply, and flags are off', () => {
  for (const { code, valueType, absentValue } of features) {
    const allowsNothing = zeroWithoutFeature.includes(code);
    expect(absentValue).toBe(valueType === 'flag' ? 'false' : allowsNothing ? '0' : 'unlimited');
  }
});

const zeroWithoutFeature: readonly string[] = [
  'max_accounts',
  'max_rooms',
  'viewer_minutes',
  'max_videos',
  'transcoding_minutes',
  'stream_minutes',
  'max_outputs',
];

test('a simulcast room has viewers only if its subscription has the feature', () => {
  const absentLimit = (serviceType: 'video' | 'live' | 'simulcast') =>
    featuresOf(serviceType).find(({ code }) => code === 'max_viewers')?.absentValue;
  expect([absentLimit('video'), absentLimit('live'), absentLimit('simulcast')]).toEqual([
    'unlimited',
    'unlimited',
    '0',
  ]);
});

test('each service type has its own features, in the order of the catalogue', () => {
  const codes = (serviceType: 'meet' | 'video' | 'live' | 'simulcast') =>
    featuresOf(serviceType).map(({ code }) => code);
  expect(codes('meet')).not.toContain('max_videos');
  expect(codes('video')).toEqual([
    'max_accounts',
    'max_rooms',
    'max_concurrent_participants',
    'max_concurrent_meetings',
    'max_storage',
    'max_viewers',
    'viewer_minutes',
    'max_videos',
    'max_upload_size',
    'max_resolution',
    'transcoding_minutes',
    'download',
    'guest_access',
    'allow_create_account',
    'allow_delete_account',
  ]);
  expect(codes('live')).toContain('recording');
  expect(codes('live')).not.toContain('max_outputs');
  expect(codes('simulcast')).toContain('max_outputs');
});

test.each([
  [0, '0'],
  [25, '25'],
  ['25', '25'],
  [' 25 ', '25'],
  ['0025', '25'],
  [9_007_199_254_740_991, '9007199254740991'],
  ['unlimited', 'unlimited'],
  ['Unlimited', 'unlimited'],
  [true, 'unlimited'],
  ['true', 'unlimited'],
  [-1, 'unlimited'],
  ['-1', 'unlimited'],
])('the limit %j is stored as %s', (input, value) => {
  expect(normalizeFeatureValue(limit, input)).toEqual({ ok: true, value });
});

test.each([
  -2,
  '-2',
  1.5,
  '1.5',
  '1e3',
  '0x10',
  '+5',
  '',
  '  ',
  'many',
  false,
  'false',
  null,
  undefined,
  NaN,
  Infinity,
  9_007_199_254_740_992,
  '9'.repeat(40),
  '٣',
  [],
  [5],
  {},
])('%j is not a valid limit', (input) => {
  expect(normalizeFeatureValue(limit, input)).toEqual({
    ok: false,
    message: 'The value of max_rooms must be a whole number of at least 0 or "unlimited".',
  });
});

test.each([
  [true, 'true'],
  ['true', 'true'],
  ['TRUE', 'true'],
  ['Y', 'true'],
  ['y', 'true'],
  [1, 'true'],
  ['1', 'true'],
  [false, 'false'],
  ['false', 'false'],
  ['N', 'false'],
  [0, 'false'],
  [' 0 ', 'false'],
])('the flag %j is stored as %s', (input, value) => {
  expect(normalizeFeatureValue(flag, input)).toEqual({ ok: true, value });
});

test.each([2, -1, 'yes', 'on', '', 'unlimited', null, undefined, [], {}])('%j is not a valid flag', (input) => {
  expect(normalizeFeatureValue(flag, input)).toEqual({
    ok: false,
    message: 'The value of recording must be true or false.',
  });
});

test('a text is trimmed, and rejected if it is empty or too long', () => {
  expect(normalizeFeatureValue(text, ' gold ')).toEqual({ ok: true, value: 'gold' });
  expect(normalizeFeatureValue(text, 5)).toEqual({ ok: true, value: '5' });
  expect(normalizeFeatureValue(text, true)).toEqual({ ok: true, value: 'true' });
  for (const input of ['', '   ', 'x'.repeat(256), null, {}]) {
    expect(normalizeFeatureValue(text, input).ok).toBe(false);
  }
});

test('normalizing a value twice changes nothing', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(limit, flag, text),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.double()),
      (feature, input) => {
        const once = normalizeFeatureValue(feature, input);
        if (once.ok) expect(normalizeFeatureValue(feature, once.value)).toEqual(once);
      },
    ),
  );
});

test('a stored limit is read as a number, null if unlimited, and 0 if invalid', () => {
  expect(limitOf('0')).toBe(0);
  expect(limitOf('250')).toBe(250);
  expect(limitOf('unlimited')).toBeNull();
  for (const value of ['', 'many', '-1', '1.5', '9'.repeat(40)]) expect(limitOf(value)).toBe(0);
});
