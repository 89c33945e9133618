import type { Client, FoyerError } from '@foyer/sdk';
import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeProvider, makeRoom, openSandbox, refusalOf, soldFeatures, unique } from './factories.ts';

let api: TestApi;
let sandbox: Sandbox;
let provider: string;
const password = 'a long enough password';

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
  provider = (await makeProvider(api, sandbox)).id;
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

async function createTestRoom(features: Record<string, string> = {}) {
  const fixture = await makeRoom(api, { provider, features: { ...soldFeatures, ...features } });
  return { ...fixture, params: { room_id: fixture.room.id } };
}

type Room = Awaited<ReturnType<typeof createTestRoom>>;
type Options = Parameters<TestApi['admin']['createRoomToken']>[0]['body'];

async function createTestToken({ params }: Pick<Room, 'params'>, options: Partial<Options> = {}) {
  return (await api.admin.createRoomToken({ params, body: { role: 'moderator', ...options } })).data;
}

async function readAgain({ params }: Pick<Room, 'params'>, { id }: { id: string }) {
  return (await api.admin.readRoomToken({ params: { ...params, token_id: id } })).data;
}

/** A user of the customer, signed in. */
async function createTestPerson({ customer }: Pick<Room, 'customer'>, permissions: string[] = ['read-customer']) {
  const { data: member } = await api.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: {
      email: `${unique('person')}@example.com`,
      first_name: 'Grace',
      last_name: 'Hopper',
      password,
      permissions: permissions as never,
    },
  });
  const { data: user } = await api.admin.readUser({ params: { user_id: member.user_id } });
  const { access_token: bearer } = await api.anyone.loginUser({ body: { username: user.email, password } });
  return { user, client: api.clientWith(bearer) };
}

function join({ params }: Pick<Room, 'params'>, token: string, client: Client = api.anyone, name?: string) {
  return client.joinRoom({ params, body: { token, ...(name === undefined ? {} : { name }) } });
}

describe('the options of a token', () => {
  test('are read back as written, and can be changed individually', async () => {
    const room = await createTestRoom();
    const { user } = await createTestPerson(room);
    const options = { name: 'Exam', not_before: '2026-04-01', expires_at: '2026-05-01', max_uses: 3, user_id: user.id };
    const token = await createTestToken(room, options);
    expect(token).toMatchObject({
      name: 'Exam',
      not_before: '2026-04-01T00:00:00.000000Z',
      expires_at: '2026-05-01T00:00:00.000000Z',
      max_uses: 3,
      uses: 0,
      user_id: user.id,
      batch_id: null,
      batch_row: null,
    });
    expect(await readAgain(room, token)).toEqual(token);
    const params = { ...room.params, token_id: token.id };
    const { data } = await api.admin.updateRoomToken({ params, body: { max_uses: null, not_before: null } });
    expect(data).toMatchObject({ max_uses: null, not_before: null, expires_at: token.expires_at, user_id: user.id });
    const { data: freed } = await api.admin.updateRoomToken({ params, body: { user_id: null } });
    expect(freed.user_id).toBeNull();
    const { data: included } = await api.admin.readRoomToken({
      params: { ...room.params, token_id: (await createTestToken(room, { user_id: user.id })).id },
      query: { include: 'user' },
    });
    expect(included).toMatchObject({ user: { data: { id: user.id } } });
  });

  test.each([
    [{ not_before: '2026-05-01', expires_at: '2026-05-01' }, ['not_before']],
    [{ max_uses: 0 }, ['max_uses']],
    [{ max_uses: 1.5, not_before: 'soon' }, ['max_uses', 'not_before']],
    [{ max_uses: 2_147_483_648 }, ['max_uses']],
    [{ user_id: 'user_01jd0000000000000000000000' }, ['user_id']],
    [{ user_id: 'room_01jd0000000000000000000000' }, ['user_id']],
  ])('cannot be %j', async (options, fields) => {
    const room = await createTestRoom();
    const refusal = await refusalOf(createTestToken(room, options));
    expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([422, fields]);
  });

  test('cannot end before they start, also if only one of the two times is changed', async () => {
    const room = await createTestRoom();
    const token = await createTestToken(room, { not_before: '2026-04-01', expires_at: '2026-05-01' });
    const params = { ...room.params, token_id: token.id };
    for (const body of [{ not_before: '2026-06-01' }, { expires_at: '2026-03-01' }]) {
      const refusal = await refusalOf(api.admin.updateRoomToken({ params, body }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['not_before']]);
    }
    const body = { not_before: '2026-06-01', expires_at: null };
    expect((await api.admin.updateRoomToken({ params, body })).data.expires_at).toBeNull();
  });

  test('can be searched and ordered by', async () => {
    const room = await createTestRoom();
    const { user } = await createTestPerson(room);
    const [bound, limitedMore, limited] = [
      await createTestToken(room, { user_id: user.id }),
      await createTestToken(room, { max_uses: 9 }),
      await createTestToken(room, { max_uses: 7 }),
    ];
    const find = async (search: string) =>
      (await api.admin.listRoomTokens({ params: room.params, query: { search } })).data.map(({ id }) => id);
    expect(await find(`user_id:${user.id}`)).toEqual([bound.id]);
    expect(await find('max_uses:7')).toEqual([limited.id]);
    for (const [sortedBy, ids] of [
      ['asc', [limited.id, limitedMore.id]],
      ['desc', [limitedMore.id, limited.id]],
    ] as const) {
      const query = { orderBy: 'max_uses,uses', sortedBy };
      const { data } = await api.admin.listRoomTokens({ params: room.params, query });
      expect(data.map(({ id }) => id).filter((id) => id !== bound.id)).toEqual(ids);
    }
  });
});

describe('a token with a start time', () => {
  test('is valid from that instant on', async () => {
    const room = await createTestRoom();
    const notBefore = api.clock.after(60);
    const { token } = await createTestToken(room, { not_before: notBefore });
    expect((await refusalOf(join(room, token, api.anyone, 'Ada'))).code).toBe('token-not-yet-valid');
    api.clock.set(notBefore);
    expect((await join(room, token, api.anyone, 'Ada')).data.role).toBe('moderator');
  });
});

describe('a token with a limited number of uses', () => {
  test('counts each join, and refuses joins once its uses are used up, until its limit is raised', async () => {
    const room = await createTestRoom();
    const token = await createTestToken(room, { max_uses: 2 });
    await join(room, token.token, api.anyone, 'Ada');
    await join(room, token.token, api.anyone, 'Ada');
    expect(await readAgain(room, token)).toMatchObject({ uses: 2, max_uses: 2 });
    const refusal = await refusalOf(join(room, token.token, api.anyone, 'Ada'));
    expect([refusal.status, refusal.code]).toEqual([403, 'token-used-up']);
    expect((await readAgain(room, token)).uses).toBe(2);
    await api.admin.updateRoomToken({ params: { ...room.params, token_id: token.id }, body: { max_uses: 3 } });
    await join(room, token.token, api.anyone, 'Ada');
    expect((await readAgain(room, token)).uses).toBe(3);
  });

  test('admits exactly as many concurrent joins as it has uses left, on two processes', async () => {
    const room = await createTestRoom();
    const token = await createTestToken(room, { max_uses: 5 });
    const other = await api.another();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 16 }, (_, n) => join(room, token.token, (n % 2 ? api : other).anyone, `Guest ${n}`)),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(outcomes.length - refusals.length).toBe(5);
    for (const refusal of refusals) expect((refusal as FoyerError).code).toBe('token-used-up');
    expect((await readAgain(room, token)).uses).toBe(5);
    const { rows } = await api.app.connection.pool.query<{ count: number }>(
      'select count(*)::int as count from room_entries where room_id = $1',
      [room.room.uuid],
    );
    expect(rows[0]?.count).toBe(5);
    await other.close();
  });

  test('counts neither refused nor failed joins', async () => {
    const room = await createTestRoom({ max_participants: '1' });
    const token = await createTestToken(room, { max_uses: 5 });
    sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'create', times: null });
    const failure = await join(room, token.token, api.anyone, 'Ada').catch((error: unknown) => error);
    expect((failure as FoyerError).status).toBe(503);
    sandbox.control.clearFaults();
    expect(await readAgain(room, token)).toMatchObject({ uses: 0, last_usage: null });
    await join(room, token.token, api.anyone, 'Ada');
    const refusal = await refusalOf(join(room, token.token, api.anyone, 'Grace'));
    expect(refusal.status).toBe(403);
    expect((await readAgain(room, token)).uses).toBe(1);
  });
});

test('the room page explains for each invalid token why it is rejected and what to do', async () => {
  const room = await createTestRoom();
  const { user } = await createTestPerson(room);
  const used = await createTestToken(room, { max_uses: 1 });
  await join(room, used.token, api.anyone, 'Ada');
  const pages = [
    [await createTestToken(room, { not_before: '2099-01-01' }), 'not valid yet'],
    [used, 'as often as allowed'],
    [await createTestToken(room, { user_id: user.id }), 'This invitation is personal'],
  ] as const;
  for (const [{ url }, sentence] of pages) {
    for (const init of [{}, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) }]) {
      const answer = await fetch(url, { ...init, headers: { 'accept-language': 'en' }, redirect: 'manual' });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain(sentence);
    }
  }
});

describe('a token that is bound to a user', () => {
  test('admits only that user, by name, and refuses anonymous visitors, other users and administrators', async () => {
    const room = await createTestRoom();
    const [grace, other] = [await createTestPerson(room), await createTestPerson(room)];
    const { token } = await createTestToken(room, { user_id: grace.user.id });
    const { data } = await join(room, token, grace.client);
    expect(data).toMatchObject({ role: 'moderator', name: 'Grace Hopper', token });
    for (const client of [api.anyone, other.client, api.admin]) {
      const refusal = await refusalOf(join(room, token, client, 'Grace Hopper'));
      expect([refusal.status, refusal.code]).toEqual([403, 'token-of-another-user']);
    }
    const unboundToken = await createTestToken(room);
    expect((await join(room, unboundToken.token, grace.client, 'Nick')).data.name).toBe('Nick');
  });

  test('can be bound by a user only to users of the same customer', async () => {
    const room = await createTestRoom();
    const { client, user } = await createTestPerson(room, [
      'read-customer',
      'read-account',
      'read-room',
      'manage-tokens',
    ]);
    const stranger = await makeCustomer(api);
    const { data: strangers } = await api.admin.listCustomerUsers({ params: { customer_id: stranger.id } });
    const bind = (id: string) => client.createRoomToken({ params: room.params, body: { role: 'guest', user_id: id } });
    expect((await bind(user.id)).data.user_id).toBe(user.id);
    const refusal = await refusalOf(bind(strangers[0]?.user_id ?? ''));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['user_id']]);
    expect((await createTestToken(room, { user_id: strangers[0]?.user_id ?? '' })).user_id).toBe(strangers[0]?.user_id);
  });

  test('is deleted with its user, and never admits others', async () => {
    const room = await createTestRoom();
    const { user } = await createTestPerson(room);
    const token = await createTestToken(room, { user_id: user.id });
    await api.admin.deleteUser({ params: { user_id: user.id } });
    expect((await refusalOf(readAgain(room, token))).status).toBe(404);
    expect((await refusalOf(join(room, token.token, api.anyone, 'Eve'))).code).toBe('token-unknown');
    const { rows } = await api.app.connection.pool.query<{ name: string }>(
      'select name from events where resource_id = $1 order by sequence',
      [token.uuid],
    );
    expect(rows.map(({ name }) => name)).toEqual(['room_token.created', 'room_token.deleted']);
  });
});
