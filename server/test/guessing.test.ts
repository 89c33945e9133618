import { expect, test } from 'vitest';
import { startApi } from './api.ts';
import { makeRoom, refusalOf } from './factories.ts';

test('whoever guesses tokens or codes ten times waits ten minutes, at this room and from this address only', async () => {
  const api = await startApi({ rateLimits: true, trustProxy: 'loopback' });
  const { room, account } = await makeRoom(api, { room: { room_settings: { anyone_can_start: true } } });
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'guest' } });
  await api.admin.createRoomAccessCode({ params, body: { role: 'guest', code: 'RIGHT-1' } });
  const { data: other } = await api.admin.createRoom({ body: { room_name: 'Other', account_id: account.id } });
  const guess = (code: string, headers: Record<string, string> = {}) =>
    refusalOf(api.anyone.joinRoom({ params, headers, body: { token: token.token, access_code: code, name: 'Eve' } }));
  for (let attempt = 0; attempt < 10; attempt++)
    expect((await guess(`WRONG-${attempt}`)).code).toBe('access-code-wrong');
  const refused = await guess('RIGHT-1');
  expect([refused.status, refused.code]).toEqual([429, 'too-many-requests']);
  expect(refused.retryAfter).toBeGreaterThan(590);
  expect((await guess('WRONG', { 'x-forwarded-for': '203.0.113.7' })).code).toBe('access-code-wrong');
  const elsewhere = await refusalOf(api.anyone.joinRoom({ params: { room_id: other.id }, body: { name: 'Eve' } }));
  expect(elsewhere.code).toBe('token-required');
  api.clock.advance({ minutes: 10, seconds: 1 });
  expect((await guess('RIGHT-1')).code).toBe('provider-unavailable');
  await api.close();
});
