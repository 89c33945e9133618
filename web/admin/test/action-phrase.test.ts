import { expect, test } from 'vitest';
import { actionPhrase } from '../src/audit/action-phrase.ts';

test('the name of an event is shown as a phrase', () => {
  expect(actionPhrase('room_token.created')).toBe('Room token created');
  expect(actionPhrase('admin.logged_in')).toBe('Administrator logged in');
  expect(actionPhrase('oauth_client.created')).toBe('OAuth client created');
  expect(actionPhrase('service_package.created')).toBe('Service package created');
});
