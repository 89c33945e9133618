import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadAccess } from '../src/modules/room-access/load-access.ts';
import { checkCredential } from '../src/modules/room-access/check-credential.ts';
import { createOpaqueToken } from '../src/platform/crypto/opaque-token.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeRoom, refusalOf } from './factories.ts';

let api: TestApi;
let fixture: Awaited<ReturnType<typeof createProtectedRoom>>;

beforeAll(async () => {
  api = await startApi({ rateLimits: true, trustProxy: 'loopback' });
});
afterAll(() => api.close());
beforeEach(async () => {
  // Refills the rate limit of requests.
  api.clock.advance({ minutes: 11 });
  fixture = await createProtectedRoom();
});

/** Creates a room whose guests need the code `RIGHT-1`, on a provider that does not respond. */
async function createProtectedRoom() {
  const { room, account } = await makeRoom(api, { room: { room_settings: { anyone_can_start: true } } });
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'guest' } });
  await api.admin.createRoomAccessCode({ params, body: { role: 'guest', code: 'RIGHT-1' } });
  return { room, account, params, token };
}

async function join(body: Record<string, string>, headers: Record<string, string> = {}) {
  return (await refusalOf(api.anyone.joinRoom({ params: fixture.params, headers, body: { name: 'Eve', ...body } })))
    .code;
}

const withCode = (code: string) => ({ token: fixture.token.token, access_code: code });
const fromOtherAddress = { 'x-forwarded-for': '203.0.113.7' };

test('ten wrong tokens or codes block the address for ten minutes, for this room only', async () => {
  const { data: other } = await api.admin.createRoom({ body: { room_name: 'Other', account_id: fixture.account.id } });
  for (let attempt = 0; attempt < 10; attempt++)
    expect(await join(withCode(`WRONG-${attempt}`))).toBe('access-code-wrong');
  const refused = await refusalOf(
    api.anyone.joinRoom({ params: fixture.params, body: { name: 'Eve', ...withCode('RIGHT-1') } }),
  );
  expect([refused.status, refused.code]).toEqual([429, 'too-many-requests']);
  expect(refused.retryAfter).toBeGreaterThan(590);
  expect(await join(withCode('WRONG'), fromOtherAddress)).toBe('access-code-wrong');
  const otherRefusal = await refusalOf(api.anyone.joinRoom({ params: { room_id: other.id }, body: { name: 'Eve' } }));
  expect(otherRefusal.code).toBe('token-required');
  api.clock.advance({ minutes: 10, seconds: 1 });
  expect(await join(withCode('RIGHT-1'))).toBe('provider-unavailable');
});

test('wrong tokens, wrong codes and codes of other roles count as failed attempts; expired tokens, early tokens and missing codes do not', async () => {
  const { params } = fixture;
  await api.admin.createRoomAccessCode({ params, body: { role: 'attendee', code: 'OTHERS' } });
  const { data: expired } = await api.admin.createRoomToken({
    params,
    body: { role: 'attendee', expires_at: '2026-01-01' },
  });
  const { data: notYetValid } = await api.admin.createRoomToken({
    params,
    body: { role: 'moderator', not_before: '2099-01-01' },
  });
  for (let attempt = 0; attempt < 6; attempt++) {
    expect(await join({ token: expired.token, access_code: 'OTHERS' })).toBe('token-expired');
    expect(await join({ token: notYetValid.token })).toBe('token-not-yet-valid');
    expect(await join({ token: fixture.token.token })).toBe('access-code-required');
  }
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(await join({ token: createOpaqueToken('frm') })).toBe('token-unknown');
    expect(await join(withCode('OTHERS'))).toBe('access-code-other-role');
  }
  expect(await join(withCode('RIGHT-1'))).toBe('too-many-requests');
});

test('only ten of many concurrent wrong codes are checked', async () => {
  const codes = await Promise.all(Array.from({ length: 25 }, (_, n) => join(withCode(`WRONG-${n}`))));
  expect(codes.filter((code) => code === 'access-code-wrong')).toHaveLength(10);
  expect(codes.filter((code) => code === 'too-many-requests')).toHaveLength(15);
});

test('opening the page with a wrong token counts as a failed attempt, opening it without a token does not', async () => {
  const openPage = async (token: string | null, headers: Record<string, string> = {}) =>
    (await fetch(`${fixture.room.url}${token === null ? '' : `?token=${token}`}`, { headers, redirect: 'manual' }))
      .status;
  for (let attempt = 0; attempt < 12; attempt++) expect(await openPage(null)).toBe(403);
  for (let attempt = 0; attempt < 10; attempt++) expect(await openPage(createOpaqueToken('frm'))).toBe(403);
  expect(await openPage(createOpaqueToken('frm'))).toBe(429);
  expect(await openPage(fixture.token.token)).toBe(429);
  expect(await join(withCode('RIGHT-1'))).toBe('too-many-requests');
  expect(await openPage(fixture.token.token, fromOtherAddress)).toBe(200);
});

test('all wrong tokens run the same number of statements, and so do all wrong codes, against timing attacks', async () => {
  const wrongTokens = [createOpaqueToken('frm'), `${fixture.token.token.slice(0, -1)}_`, 'nonsense', 'x'.repeat(200)];
  const wrongCodes = ['RIGHT-2', 'right-', 'x', 'x'.repeat(64)];
  const { dependencies } = api.app;
  const { db, clock } = dependencies;
  const { rules } = await loadAccess(db, fixture.room.uuid, clock.today('UTC'), clock.now());
  const distinctCounts = async (credentials: { token: string; accessCode: string | null }[], code: string) => {
    const counts = [];
    for (const wrongCredential of credentials) {
      const check = async () => {
        const credential = { ...wrongCredential, staffRole: null };
        expect(
          (await checkCredential(dependencies, { roomId: fixture.room.uuid, rules, address: null }, credential))
            .refusals,
        ).toEqual([code]);
      };
      counts.push(await countStatements(check));
    }
    return new Set(counts).size;
  };
  const tokens = wrongTokens.map((token) => ({ token, accessCode: null }));
  expect(await distinctCounts(tokens, 'token-unknown')).toBe(1);
  const codes = wrongCodes.map((accessCode) => ({ token: fixture.token.token, accessCode }));
  expect(await distinctCounts(codes, 'access-code-wrong')).toBe(1);
});
