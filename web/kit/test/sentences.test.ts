import { expect, test } from 'vitest';
import { absentValueText, featureAmountText, featureValueText } from '../format/feature-values.ts';
import { withFieldLabels } from '../format/sentences.ts';

test.each([
  [
    'The stock qty field is required when has stock is true.',
    '“Left in stock” is required when “Limited stock” is on.',
  ],
  ['The to.0 field must be a valid email address.', '“Until” must be a valid email address.'],
  ['The url field must begin with https://.', '“Address” must begin with https://.'],
  ['The to field must not be before 2026-12-31.', '“Until” must not be before 2026-12-31.'],
  [
    'The reseller has 50 of max_rooms: 0 are used and 60 would be resold.',
    'The reseller has 50 of “Rooms”: 0 are used and 60 would be resold.',
  ],
  ['The not before field must be earlier than the expires at field.', '“Not before” must be earlier than “Expires”.'],
  [
    'The setting guest_policy of the room does not admit guests.',
    'The setting “Guest policy” of the room does not admit guests.',
  ],
  [
    'A join does not start a meeting: the setting anyone_can_start is off.',
    'A join does not start a meeting: the setting “Anyone can start the meeting” is off.',
  ],
  ['The field is wide.', 'The field is wide.'],
  ['You are not allowed to do this.', 'You are not allowed to do this.'],
])('%j is shown with the labels of the screen', (sentence, expected) => {
  expect(withFieldLabels(sentence)).toBe(expected);
});

test('errors use the field labels of the form', () => {
  expect(withFieldLabels('The value field must be a valid VAT number of AT.', { value: 'Number' })).toBe(
    '“Number” must be a valid VAT number of AT.',
  );
});

test('an absent feature is shown with its default from the catalogue', () => {
  expect(['max_rooms', 'max_accounts'].map(absentValueText)).toEqual(['None', 'None']);
  expect(['participant_minutes', 'max_duration', 'max_storage', 'record_expiration'].map(absentValueText)).toEqual(
    Array(4).fill('Unlimited'),
  );
  expect(absentValueText('recording')).toBe('Off');
  expect(featureValueText('max_duration', null)).toBe('Unlimited');
});

test('a value next to the name of its feature omits a unit that equals the name', () => {
  expect(featureAmountText('max_accounts', '3')).toBe('3');
  expect(featureAmountText('max_storage', '2')).toBe('2 GB');
  expect(featureAmountText('max_participants', '1')).toBe('1 participant');
  expect(featureAmountText('max_rooms', 'unlimited')).toBe('unlimited');
});
