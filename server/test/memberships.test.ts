import { accountRights, customerRights, roomRights } from '@foyer/contract/conventions/rights.ts';
import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, unique } from './factories.ts';

const password = 'difference engine no. 2';

let api: TestApi;
let sharedFixture: Awaited<ReturnType<typeof makeRoom>>;
beforeAll(async () => {
  api = await startApi();
  sharedFixture = await makeRoom(api);
});
afterAll(() => api.close());

async function makeUser(body: Record<string, unknown> = {}) {
  const { data } = await api.admin.createUser({
    body: { email: `${unique('grace')}@example.com`, first_name: 'Grace', last_name: 'Hopper', password, ...body },
  });
  return data;
}

async function signIn(email: string): Promise<Client> {
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

type Fixture = Awaited<ReturnType<typeof makeRoom>>;

interface Membership {
  readonly id: string;
  readonly uuid: string;
  readonly ulid: string;
  readonly user_id: string;
  readonly owner: boolean;
  readonly permissions: readonly string[];
  readonly [name: string]: unknown;
}

/** The five calls of each level with a common signature. */
const levels = {
  customer: {
    rights: customerRights as readonly string[],
    manage: 'manage-customer-users',
    object: 'CustomerUser',
    prefix: 'cuser',
    params: ({ customer }: Fixture) => ({ customer_id: customer.id }),
    uuidOf: ({ customer }: Fixture) => customer.uuid,
    operations: [
      'listCustomerUsers',
      'createCustomerUser',
      'readCustomerUser',
      'updateCustomerUser',
      'deleteCustomerUser',
    ],
  },
  account: {
    rights: accountRights as readonly string[],
    manage: 'manage-account-users',
    object: 'AccountUser',
    prefix: 'auser',
    params: ({ account }: Fixture) => ({ account_id: account.id }),
    uuidOf: ({ account }: Fixture) => account.uuid,
    operations: ['listAccountUsers', 'createAccountUser', 'readAccountUser', 'updateAccountUser', 'deleteAccountUser'],
  },
  room: {
    rights: roomRights as readonly string[],
    manage: 'manage-users',
    object: 'RoomUser',
    prefix: 'ruser',
    params: ({ room }: Fixture) => ({ room_id: room.id }),
    uuidOf: ({ room }: Fixture) => room.uuid,
    operations: ['listRoomUsers', 'createRoomUser', 'readRoomUser', 'updateRoomUser', 'deleteRoomUser'],
  },
} as const;

function usersOf(level: keyof typeof levels, fixture: Fixture, client: Client = api.admin) {
  const { operations, params } = levels[level];
  const [list, create, read, update, remove] = operations;
  const levelParams = params(fixture);
  const data = ({ status, body }: { status: number; body: unknown }) => {
    if (status >= 400) throw new Error(`${status} ${JSON.stringify(body)}`);
    return (body as { data: unknown }).data;
  };
  const call = {
    list: (query = {}) => client.request(list, { params: levelParams, query }),
    create: (body: object) => client.request(create, { params: levelParams, body }),
    read: (id: string, query = {}) => client.request(read, { params: { ...levelParams, user_id: id }, query }),
    update: (id: string, body: object) => client.request(update, { params: { ...levelParams, user_id: id }, body }),
    remove: (id: string) => client.request(remove, { params: { ...levelParams, user_id: id } }),
  };
  return {
    call,
    list: async (query = {}) => data(await call.list({ limit: 100, ...query })) as Membership[],
    add: async (body: object) => data(await call.create(body)) as Membership,
    read: async (id: string, query = {}) => data(await call.read(id, query)) as Membership,
    update: async (id: string, body: object) => data(await call.update(id, body)) as Membership,
    owner: async () => {
      const owners = (data(await call.list({ limit: 100, search: 'owner:true' })) as Membership[]) ?? [];
      expect(owners).toHaveLength(1);
      return owners[0]?.user_id ?? '';
    },
  };
}

const levelNames = Object.keys(levels) as (keyof typeof levels)[];

describe.each(levelNames)('the users of a %s', (level) => {
  const { rights, object, prefix, manage } = levels[level];
  const someRights = rights.slice(-3);

  test('include the owner from the start, with every right', async () => {
    const [first, ...otherMembers] = await usersOf(level, await makeRoom(api)).list();
    expect(otherMembers).toEqual([]);
    expect(first).toMatchObject({ object, owner: true, permissions: rights, first_name: 'Ada', status: 'active' });
  });

  test('accept an existing user with the sent rights, each once and in order', async () => {
    const user = await makeUser();
    const added = await usersOf(level, sharedFixture).add({
      user_id: user.id,
      permissions: [...someRights, ...someRights].reverse(),
    });
    expect(added).toMatchObject({
      object,
      id: expect.stringMatching(new RegExp(`^${prefix}_`)),
      ...levels[level].params(sharedFixture),
      user_id: user.id,
      owner: false,
      permissions: someRights,
      first_name: 'Grace',
      last_name: 'Hopper',
      full_name: 'Grace Hopper',
      email: user.email,
      status: 'active',
    });
  });

  test('accept a new user, who can then sign in with the sent password', async () => {
    const email = `${unique('new')}@example.com`;
    const added = await usersOf(level, sharedFixture).add({
      email,
      first_name: 'New',
      last_name: 'User',
      password,
      locale: 'pt-BR',
      timezone: 'Europe/Lisbon',
    });
    const self = await signIn(email);
    expect((await self.readCallingUser()).data).toMatchObject({
      id: added.user_id,
      locale: 'pt-BR',
      timezone: 'Europe/Lisbon',
    });
    expect(added.permissions).toEqual([]);
  });

  test('are found by the id of the user or of the membership, in every form of the id', async () => {
    const user = await makeUser();
    const users = usersOf(level, sharedFixture);
    const added = await users.add({ user_id: user.ulid });
    for (const id of [user.id, user.uuid, user.ulid, added.id, added.uuid, added.ulid]) {
      expect(await users.read(id)).toEqual(added);
    }
    for (const id of ['nonsense', user.id.replace('user_', 'room_'), (await makeUser()).id]) {
      expect((await users.call.read(id)).status).toBe(404);
    }
    expect((await usersOf(level, await makeRoom(api)).call.read(user.id)).status).toBe(404);
    expect((await users.update(added.id, { permissions: someRights })).permissions).toEqual(someRights);
    expect((await users.call.remove(added.id)).status).toBe(204);
    expect((await users.call.remove(user.id)).status).toBe(404);
  });

  test('include their user and their customer, account or room', async () => {
    const user = await makeUser();
    const users = usersOf(level, sharedFixture);
    await users.add({ user_id: user.id });
    const read = await users.read(user.id, { include: `user,${level}` });
    expect(read).toMatchObject({
      user: { data: { id: user.id } },
      [level]: { data: { id: Object.values(levels[level].params(sharedFixture))[0] } },
    });
  });

  test('are listed, searched by their fields, and sorted', async () => {
    const fixture = await makeRoom(api);
    const users = usersOf(level, fixture);
    for (const name of ['Zoe', 'Bea', 'Mia']) {
      const user = await makeUser({ first_name: name });
      await users.add({ user_id: user.id });
    }
    const sorted = await users.list({ orderBy: 'first_name' });
    expect(sorted.map((user) => user['first_name'])).toEqual(['Ada', 'Bea', 'Mia', 'Zoe']);
    const matching = await users.list({ search: 'first_name:bea' });
    expect(matching.map((user) => user['first_name'])).toEqual(['Bea']);
    expect((await users.list({ search: 'mia' })).map((user) => user['first_name'])).toEqual(['Mia']);
  });

  test('are rejected with an error for each invalid field', async () => {
    const users = usersOf(level, sharedFixture);
    const existingUser = await makeUser();
    const cases: [object, string[]][] = [
      [{}, ['email', 'first_name', 'last_name']],
      [{ email: 'x@example.com', password: 'short' }, ['first_name', 'last_name', 'password']],
      [{ email: existingUser.email.toUpperCase(), first_name: 'A', last_name: 'B' }, ['email']],
      [{ user_id: 'user_00000000000000000000000000' }, ['user_id']],
      [{ user_id: 'nonsense' }, ['user_id']],
      [{ user_id: existingUser.id, email: 'x@example.com', password }, ['email', 'password']],
      [{ user_id: existingUser.id, permissions: ['fly', someRights[0], 'swim'] }, ['permissions.0', 'permissions.2']],
      [{ user_id: existingUser.id, permissions: 'all', owner: 'yes' }, ['owner', 'permissions']],
    ];
    for (const [body, fields] of cases) {
      const answer = await users.call.create(body);
      const { errors } = answer.body as { errors: object };
      expect([body, answer.status, Object.keys(errors).sort()]).toEqual([body, 422, fields]);
    }
    expect((await users.call.read(existingUser.id)).status).toBe(404);
  });

  test('only have rights of their level', async () => {
    const otherRights = customerRights.filter((right) => !rights.includes(right));
    const user = await makeUser();
    const answer = await usersOf(level, sharedFixture).call.create({ user_id: user.id, permissions: otherRights });
    expect(answer.status).toBe(otherRights.length === 0 ? 201 : 422);
  });

  test('are added once, also by concurrent requests', async () => {
    const user = await makeUser();
    const users = usersOf(level, sharedFixture);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => users.call.create({ user_id: user.id, permissions: someRights })),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409]);
    const second = await users.call.create({ user_id: user.id });
    expect([second.status, second.body]).toMatchObject([409, { code: 'already-exists' }]);
  });

  test('can get other rights, and fields that are not sent stay unchanged', async () => {
    const user = await makeUser();
    const users = usersOf(level, sharedFixture);
    await users.add({ user_id: user.id, permissions: someRights });
    expect((await users.update(user.id, {})).permissions).toEqual(someRights);
    expect((await users.update(user.id, { owner: false })).permissions).toEqual(someRights);
    expect((await users.update(user.id, { permissions: [] })).permissions).toEqual([]);
    const unknown = await users.call.update(user.id, { permissions: [someRights[0], 'fly'] });
    expect([unknown.status, Object.keys((unknown.body as { errors: object }).errors)]).toEqual([
      422,
      ['permissions.1'],
    ]);
    const otherUser = await makeUser();
    const userChange = await users.call.update(user.id, { user_id: otherUser.id });
    expect([userChange.status, Object.keys((userChange.body as { errors: object }).errors)]).toEqual([
      422,
      ['user_id'],
    ]);
    expect((await users.call.update(user.id, { user_id: user.uuid })).status).toBe(200);
  });

  test('have one owner, who cannot be removed or lose rights', async () => {
    const users = usersOf(level, await makeRoom(api));
    const owner = await users.owner();
    const refusals: [Promise<{ status: number; body: unknown }>, string][] = [
      [users.call.remove(owner), 'owner-required'],
      [users.call.update(owner, { owner: false }), 'owner-required'],
      [users.call.update(owner, { permissions: someRights }), 'owner-has-all-rights'],
      [
        users.call.create({ user_id: (await makeUser()).id, owner: true, permissions: someRights }),
        'owner-has-all-rights',
      ],
    ];
    for (const [call, code] of refusals) {
      const answer = await call;
      expect([answer.status, answer.body]).toMatchObject([409, { code }]);
    }
    expect((await users.update(owner, { owner: true, permissions: [...rights] })).owner).toBe(true);
    expect(await users.owner()).toBe(owner);
  });

  test('get another owner; the former owner keeps all rights as a member, and can then be removed', async () => {
    const users = usersOf(level, await makeRoom(api));
    const former = await users.owner();
    const next = await makeUser();
    await users.add({ user_id: next.id, permissions: someRights });
    expect(await users.update(next.id, { owner: true })).toMatchObject({ owner: true, permissions: rights });
    expect(await users.read(former)).toMatchObject({ owner: false, permissions: rights });
    expect((await users.update(former, { permissions: someRights })).permissions).toEqual(someRights);
    expect((await users.call.remove(former)).status).toBe(204);
    const third = await users.add({
      email: `${unique('third')}@example.com`,
      first_name: 'C',
      last_name: 'D',
      owner: true,
    });
    expect(await users.owner()).toBe(third.user_id);
    expect(await users.read(next.id)).toMatchObject({ owner: false, permissions: rights });
  });

  test('have exactly one owner, also with concurrent transfers', async () => {
    const users = usersOf(level, await makeRoom(api));
    const members = await Promise.all(Array.from({ length: 5 }, () => makeUser()));
    for (const { id } of members.slice(0, 3)) await users.add({ user_id: id });
    const answers = await Promise.all([
      ...members.slice(0, 3).map(({ id }) => users.call.update(id, { owner: true })),
      ...members.slice(3).map(({ id }) => users.call.create({ user_id: id, owner: true })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201, 201]);
    expect(members.map(({ id }) => id)).toContain(await users.owner());
    expect(await users.list()).toHaveLength(6);
  });

  test('must have an email of the domains that the customer allows, new or existing', async () => {
    const fixture = await makeRoom(api);
    await api.admin.updateCustomer({
      params: { customer_id: fixture.customer.id },
      body: { allowed_domains_registration: ['Example.org', 'bücher.example'] },
    });
    const users = usersOf(level, fixture);
    const person = { first_name: 'A', last_name: 'B' };
    const existing = await makeUser();
    const rejectedBodies = [
      { ...person, email: 'a@example.com' },
      { ...person, email: 'a@mail.example.org' },
      { ...person, email: 'a@notexample.org' },
      { user_id: existing.id },
    ];
    for (const body of rejectedBodies) {
      const answer = await users.call.create(body);
      const { errors } = answer.body as { errors: object };
      expect([body, answer.status, Object.keys(errors)]).toEqual([body, 422, ['email']]);
    }
    await users.add({ ...person, email: `${unique('a')}@EXAMPLE.ORG` });
    await users.add({ ...person, email: `${unique('a')}@xn--bcher-kva.example` });
    await users.add({ user_id: (await makeUser({ email: `${unique('a')}@example.org` })).id });
    await api.admin.updateCustomer({
      params: { customer_id: fixture.customer.id },
      body: { allowed_domains_registration: [] },
    });
    await users.add({ user_id: existing.id });
  });

  test('cannot be read or changed if the resource is unknown, which is a 404', async () => {
    const unknownFixture = JSON.parse(
      JSON.stringify(sharedFixture).replaceAll(/_[0-9a-z]{26}/g, `_${'0'.repeat(26)}`),
    ) as Fixture;
    const users = usersOf(level, unknownFixture);
    const user = await makeUser();
    const calls = [
      users.call.list(),
      users.call.create({ user_id: user.id }),
      users.call.create({ email: 'nobody@example.com' }),
      users.call.read(user.id),
      users.call.update(user.id, { owner: true }),
      users.call.remove(user.id),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  test('have events when they are added, changed, removed or become the owner', async () => {
    const fixture = await makeRoom(api);
    const users = usersOf(level, fixture);
    const former = await users.owner();
    const user = await makeUser();
    const added = await users.add({ user_id: user.id, permissions: someRights });
    await users.update(user.id, { owner: true });
    await users.call.remove(former);
    const { rows } = await api.app.connection.pool.query<{ name: string; customer_id: string; payload: object }>(
      `select action as name, customer_id, new_values as payload from audit_entries where action = any($1) and customer_id = $2 order by id`,
      [
        [`${level}_user.created`, `${level}_user.updated`, `${level}_user.deleted`, `${level}.owner_changed`],
        fixture.customer.uuid,
      ],
    );
    expect(rows.map(({ name }) => name)).toEqual([
      // The owner, who was added when the fixture was created.
      `${level}_user.created`,
      `${level}_user.created`,
      `${level}.owner_changed`,
      `${level}_user.updated`,
      `${level}_user.deleted`,
    ]);
    expect(rows[0]?.payload).toMatchObject({ owner: true });
    expect(rows[1]?.payload).toMatchObject({
      id: added.uuid,
      user_id: user.uuid,
      owner: false,
      permissions: someRights,
    });
    expect(rows[2]?.payload).toMatchObject({ owner_id: user.uuid });
  });

  describe('managed by a user', () => {
    /** Creates a manager of the users, who also holds the extra rights. */
    async function createManager(fixture: Fixture, extraRights: readonly string[] = someRights) {
      const user = await makeUser();
      const readRights = ['read-customer', 'read-account', 'read-room'].filter((right) => rights.includes(right));
      await usersOf(level, fixture).add({ user_id: user.id, permissions: [manage, ...readRights, ...extraRights] });
      return { user, client: await signIn(user.email) };
    }

    test('can be read, added and removed by users who manage them, with rights that the manager holds', async () => {
      const fixture = await makeRoom(api);
      const { user, client } = await createManager(fixture);
      const users = usersOf(level, fixture, client);
      expect(await users.list()).toHaveLength(2);
      const added = await users.add({
        email: `${unique('colleague')}@example.com`,
        first_name: 'C',
        last_name: 'D',
        permissions: someRights,
      });
      expect(await users.read(added.id, { include: 'user' })).toMatchObject({ user: { data: { id: added.user_id } } });
      expect((await users.update(added.id, { permissions: someRights.slice(1) })).permissions).toEqual(
        someRights.slice(1),
      );
      expect((await users.call.remove(added.user_id)).status).toBe(204);
      expect(await users.list()).toHaveLength(2);
      expect((await users.call.update(user.id, { permissions: [] })).status).toBe(200);
      expect((await users.call.list()).status).toBe(404);
    });

    test('cannot gain or lose rights that the manager lacks, and the error names them', async () => {
      const fixture = await makeRoom(api);
      const { client } = await createManager(fixture, []);
      const users = usersOf(level, fixture, client);
      const added = await users.add({ email: `${unique('c')}@example.com`, first_name: 'C', last_name: 'D' });
      const person = { email: `${unique('d')}@example.com`, first_name: 'C', last_name: 'D' };
      for (const answer of await Promise.all([
        users.call.update(added.id, { permissions: ['read-room', 'delete-room', 'moderate'] }),
        users.call.create({ ...person, permissions: ['read-room', 'delete-room', 'moderate'] }),
      ])) {
        expect([answer.status, answer.body]).toMatchObject([403, { code: 'privilege-escalation' }]);
        expect((answer.body as { message: string }).message).toMatch(/delete-room, moderate/);
      }
      expect((await users.read(added.id)).permissions).toEqual([]);
      expect((await api.admin.listUsers({ query: { search: `email:${person.email}` } })).data).toEqual([]);
      // Rights that an administrator granted stay when the manager changes other rights.
      await usersOf(level, fixture).update(added.id, { permissions: ['delete-room', 'moderate'] });
      const permissions = ['read-room', 'delete-room', 'moderate'];
      expect((await users.update(added.id, { permissions })).permissions).toEqual(permissions);
      for (const answer of [
        await users.call.update(added.id, { permissions: ['read-room', 'moderate'] }),
        await users.call.remove(added.id),
      ]) {
        expect([answer.status, answer.body]).toMatchObject([403, { code: 'privilege-escalation' }]);
        expect((answer.body as { message: string }).message).toMatch(/revoke rights .*: .*delete-room/);
      }
      expect((await users.read(added.id)).permissions).toEqual(permissions);
    });

    test('cannot raise their own rights', async () => {
      const fixture = await makeRoom(api);
      const { user, client } = await createManager(fixture);
      const users = usersOf(level, fixture, client);
      const before = (await usersOf(level, fixture).read(user.id)).permissions;
      for (const body of [{ permissions: [...rights] }, { owner: true }]) {
        const answer = await users.call.update(user.id, body);
        expect([answer.status, answer.body]).toMatchObject([403, { code: 'privilege-escalation' }]);
      }
      expect((await usersOf(level, fixture).read(user.id)).permissions).toEqual(before);
    });

    test('get another owner only from the owner', async () => {
      const fixture = await makeRoom(api);
      const { client } = await createManager(fixture, rights);
      const users = usersOf(level, fixture, client);
      const added = await users.add({ email: `${unique('c')}@example.com`, first_name: 'C', last_name: 'D' });
      const before = await users.owner();
      for (const answer of [
        await users.call.update(added.id, { owner: true }),
        await users.call.create({ email: 'x@example.com', first_name: 'X', last_name: 'Y', owner: true }),
      ]) {
        expect([answer.status, answer.body]).toMatchObject([403, { code: 'privilege-escalation' }]);
      }
      expect(await users.owner()).toBe(before);
      const owner = usersOf(level, fixture, await signIn(fixture.customer.email));
      expect((await owner.update(added.id, { owner: true })).owner).toBe(true);
      expect(await users.owner()).toBe(added.user_id);
    });

    test('must belong to the same customer; users of other customers are reported as unknown', async () => {
      const fixture = await makeRoom(api);
      const { client } = await createManager(fixture);
      const users = usersOf(level, fixture, client);
      const stranger = await makeUser();
      await usersOf(level, sharedFixture).add({ user_id: stranger.id });
      const refusals = await Promise.all(
        [stranger.id, 'user_00000000000000000000000000'].map((id) => users.call.create({ user_id: id })),
      );
      expect(refusals.map(({ status }) => status)).toEqual([422, 422]);
      const [foreignUser, unknownUser] = refusals.map(({ body }) => ({ ...(body as object), request_id: '' }));
      expect(foreignUser).toEqual(unknownUser);
      for (const otherLevel of levelNames.filter((name) => name !== level)) {
        const colleague = await makeUser();
        await usersOf(otherLevel, fixture).add({ user_id: colleague.id });
        expect((await users.add({ user_id: colleague.id })).user_id).toBe(colleague.id);
      }
    });

    test('cannot be read by members who do not manage them; users who are not members get a 404', async () => {
      const fixture = await makeRoom(api);
      const reader = await makeUser();
      const readRights = ['read-customer', 'read-account', 'read-room'].filter((right) => rights.includes(right));
      await usersOf(level, fixture).add({ user_id: reader.id, permissions: readRights });
      const stranger = await makeUser();
      const expected: [Client, number][] = [
        [await signIn(reader.email), 403],
        [await signIn(stranger.email), 404],
      ];
      for (const [client, status] of expected) {
        const { call } = usersOf(level, fixture, client);
        const answers = await Promise.all([
          call.list(),
          call.create({ user_id: stranger.id }),
          call.read(reader.id),
          call.update(reader.id, { permissions: [] }),
          call.remove(reader.id),
        ]);
        expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 5 }, () => status));
      }
    });

    test('lose their rights with the next request', async () => {
      const fixture = await makeRoom(api);
      const { user, client } = await createManager(fixture);
      const users = usersOf(level, fixture, client);
      expect((await users.call.list()).status).toBe(200);
      await usersOf(level, fixture).update(user.id, { permissions: [`read-${level}`] });
      expect((await users.call.list()).status).toBe(403);
      await usersOf(level, fixture).call.remove(user.id);
      expect((await users.call.list()).status).toBe(404);
    });
  });
});

test('rights on a customer apply to its accounts and rooms, where its managers can grant them', async () => {
  const fixture = await makeRoom(api);
  const user = await makeUser();
  await usersOf('customer', fixture).add({
    user_id: user.id,
    permissions: ['manage-account-users', 'read-account', 'manage-users', 'read-room', 'moderate'],
  });
  const client = await signIn(user.email);
  const colleague = await usersOf('room', fixture, client).add({
    email: `${unique('c')}@example.com`,
    first_name: 'C',
    last_name: 'D',
    permissions: ['moderate'],
  });
  const accountUsers = usersOf('account', fixture, client);
  expect((await accountUsers.add({ user_id: colleague.user_id, permissions: ['read-account'] })).owner).toBe(false);
  expect((await accountUsers.call.update(colleague.user_id, { permissions: ['create-room'] })).status).toBe(403);
  expect((await usersOf('customer', fixture, client).call.list()).status).toBe(404);
});

test("new accounts and rooms have the customer's current owner", async () => {
  const fixture = await makeRoom(api);
  const next = await makeUser();
  await usersOf('customer', fixture).add({ user_id: next.id, owner: true });
  const { data: account } = await api.admin.createAccount({
    body: { account_name: unique('Account'), subscription_id: fixture.subscription.id },
  });
  const { data: room } = await api.admin.createRoom({ body: { room_name: unique('Room'), account_id: account.id } });
  expect(await usersOf('account', { ...fixture, account }).owner()).toBe(next.id);
  expect(await usersOf('room', { ...fixture, room }).owner()).toBe(next.id);
  expect(await usersOf('room', fixture).owner()).not.toBe(next.id);
  const { data } = await api.admin.readRoom({ params: { room_id: room.id }, query: { include: 'owner,users' } });
  expect(data).toMatchObject({ owner: { data: { id: next.id } }, users: { data: [{ id: next.id }] } });
});
