import { featuresOf } from '@foyer/contract/resources/packages/features.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeRoom, refusalOf, soldFeatures } from './factories.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

const unknownRoom = { room_id: 'room_01jd0000000000000000000000' };

async function createTestRoom(room: Record<string, unknown> = {}) {
  const fixture = await makeRoom(api, { room });
  return { ...fixture, params: { room_id: fixture.room.id } };
}

type Params = { room_id: string };

function patch(params: Params, body: Record<string, unknown>) {
  return api.admin.updateRoom({ params, body });
}

async function auditOf(uuid: string) {
  return await api.app.dependencies.db
    .selectFrom('audit_entries')
    .select(['action', 'old_values', 'new_values'])
    .where('resource_id', '=', uuid)
    .orderBy('occurred_at')
    .execute();
}

async function eventsOf(uuid: string) {
  return await api.app.dependencies.db
    .selectFrom('audit_entries')
    .select(['action as name', 'new_values as payload'])
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
}

describe('a room', () => {
  test('has customer, subscription and type of its account, and is private and active by default', async () => {
    const { room, account, customer, subscription, params } = await createTestRoom({ room_name: 'Ágora № 1' });
    expect(room).toMatchObject({
      object: 'Room',
      customer_id: customer.id,
      account_id: account.id,
      subscription_id: subscription.id,
      room_name: 'Ágora № 1',
      room_type: 'meet',
      status: 'active',
      is_public: false,
      slug: 'agora-1',
      room_features: {},
      room_settings: {},
      room_metadata: {},
    });
    expect(room.url).toBe(`${api.url}/rooms/${room.id}/agora-1`);
    expect((await api.admin.readRoom({ params })).data).toEqual(room);
    expect((await api.admin.readRoom({ params: { room_id: room.uuid } })).data).toEqual(room);
    const { data: listed } = await api.admin.listRooms({ query: { search: `id:${room.ulid}` } });
    expect(listed).toEqual([room]);
  });

  test('is owned by the owner of its customer', async () => {
    const { params } = await createTestRoom();
    const { data } = await api.admin.readRoom({ params, query: { include: 'owner,customer.owner' } });
    const { owner, customer } = data as unknown as {
      owner: { data: { id: string } };
      customer: { data: { owner: { data: { id: string } } } };
    };
    expect(owner.data.id).toMatch(/^user_/);
    expect(customer.data.owner.data.id).toBe(owner.data.id);
  });

  test('accepts the customer, subscription and type of its account, and rejects different ones with an error for each', async () => {
    const { account, customer, subscription } = await makeAccount(api);
    const other = await makeAccount(api);
    const body = { room_name: 'Room', account_id: account.id };
    const { data } = await api.admin.createRoom({
      body: { ...body, customer_id: customer.uuid, subscription_id: subscription.ulid, room_type: 'meet' },
    });
    expect(data.customer_id).toBe(customer.id);
    const wrong = { ...body, customer_id: other.customer.id, subscription_id: other.subscription.id };
    const refusal = await refusalOf(api.admin.createRoom({ body: wrong }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['customer_id', 'subscription_id']]);
    const type = await refusalOf(api.admin.createRoom({ body: { ...body, room_type: 'live' } }));
    expect([type.status, Object.keys(type.errors)]).toEqual([422, ['room_type']]);
  });

  test.each([
    [{ account_id: 'acct_01jd0000000000000000000000', room_name: 'Room' }, ['account_id']],
    [{ account_id: 'nonsense' }, ['room_name', 'account_id']],
    [{ room_name: '   ' }, ['room_name', 'account_id']],
    [{ room_name: 'x'.repeat(151) }, ['room_name', 'account_id']],
    [{ room_name: 'x'.repeat(10_000) }, ['room_name', 'account_id']],
    [{ room_name: 'half \uD800' }, ['room_name', 'account_id']],
  ])('cannot be created with %j', async (body, fields) => {
    const refusal = await refusalOf(api.admin.createRoom({ body: body as never }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, fields]);
  });

  test('cannot be created in an inactive account, or if its customer or subscription is suspended', async () => {
    const codeAfter = async (change: (fixture: Awaited<ReturnType<typeof makeAccount>>) => Promise<unknown>) => {
      const fixture = await makeAccount(api);
      await change(fixture);
      const body = { room_name: 'Room', account_id: fixture.account.id };
      const refusal = await refusalOf(api.admin.createRoom({ body }));
      expect(refusal.status).toBe(409);
      return refusal.code;
    };
    const inactive = { status: 'inactive' } as const;
    const suspended = { status: 'suspended' } as const;
    const { admin } = api;
    expect(
      await codeAfter(({ account }) => admin.updateAccount({ params: { account_id: account.id }, body: inactive })),
    ).toBe('account-not-active');
    expect(
      await codeAfter(({ customer }) =>
        admin.updateCustomer({ params: { customer_id: customer.id }, body: suspended }),
      ),
    ).toBe('customer-not-active');
    expect(
      await codeAfter(({ subscription }) =>
        admin.updateSubscription({ params: { subscription_id: subscription.id }, body: suspended }),
      ),
    ).toBe('subscription-not-usable');
  });

  test.each([
    '<script>alert(1)</script> & "quotes"',
    "'; drop table rooms; --",
    '\u202Eright to left\u202C',
    '\u05D7\u05D3\u05E8 \u200F1',
    '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}',
    '%_\\%',
  ])('keeps the name %j unchanged, and has a valid slug', async (name) => {
    const { room, params } = await createTestRoom({ room_name: name });
    expect(room.room_name).toBe(name);
    expect(room.slug).toMatch(/^[a-z0-9-]+$/);
    expect((await patch(params, { room_name: `${name} 2` })).data.room_name).toBe(`${name} 2`);
    const { data } = await api.admin.listRooms({
      query: { search: `room_name:${name.replaceAll(/[\\;:,]/g, String.raw`\$&`)} 2` },
    });
    expect(data.map(({ id }) => id)).toContain(room.id);
    const page = await (await fetch(room.url)).text();
    expect(page).not.toContain('<script>alert(1)');
  });

  test.each(['\u200B', '\u202E\u202C', '\u0007'])('cannot have the invisible name %j', async (name) => {
    const { params, account } = await createTestRoom();
    const calls = [
      api.admin.createRoom({ body: { room_name: name, account_id: account.id } }),
      patch(params, { room_name: name }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf)))
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['room_name']]);
  });

  test('changes only the members that are sent', async () => {
    const { room, params } = await createTestRoom({ room_metadata: { a: 1 }, room_settings: { mute_on_start: true } });
    api.clock.advance({ seconds: 1 });
    const { data } = await patch(params, { room_name: 'Renamed', is_public: true });
    expect(data).toEqual({
      ...room,
      room_name: 'Renamed',
      is_public: true,
      updated_at: data.updated_at,
      readable_created_at: data.readable_created_at,
    });
    expect(data.updated_at > room.updated_at).toBe(true);
    const { data: cleared } = await patch(params, { room_metadata: null, room_settings: null, status: 'inactive' });
    expect(cleared).toMatchObject({ room_metadata: {}, room_settings: {}, status: 'inactive' });
    const [event] = (await eventsOf(room.uuid)).slice(-1);
    expect(event).toMatchObject({ name: 'room.updated', payload: { status: 'inactive', room_metadata: {} } });
  });

  test('cannot change account, customer, subscription, type and address; sending the same values is accepted', async () => {
    const { room, params } = await createTestRoom();
    const other = await createTestRoom();
    const same = { account_id: room.account_id, customer_id: room.customer_id, url: room.url, room_type: 'meet' };
    expect((await patch(params, { ...same, subscription_id: room.subscription_id })).data.url).toBe(room.url);
    const refusal = await refusalOf(
      patch(params, {
        account_id: other.account.id,
        customer_id: other.customer.id,
        subscription_id: other.subscription.id,
        room_type: 'video',
        url: 'https://elsewhere.example/',
      }),
    );
    expect(refusal.status).toBe(422);
    expect(Object.keys(refusal.errors)).toEqual(['account_id', 'customer_id', 'subscription_id', 'room_type', 'url']);
    expect((await api.admin.readRoom({ params })).data).toMatchObject({ account_id: room.account_id, url: room.url });
  });

  test('has a valid slug, and a new slug changes its address', async () => {
    const { room, params } = await createTestRoom({ slug: ' Ünser Raum / 7 ' });
    expect(room.slug).toBe('uenser-raum-7');
    const { data } = await patch(params, { slug: 'New Place' });
    expect([data.slug, data.url]).toEqual(['new-place', `${api.url}/rooms/${room.id}/new-place`]);
    expect((await patch(params, { room_name: 'Other name' })).data.slug).toBe('new-place');
    const refusal = await refusalOf(patch(params, { slug: '???' }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['slug']]);
    const long = await createTestRoom({ room_name: '会議 '.repeat(37) });
    expect(long.room.slug.length).toBeLessThanOrEqual(150);
    expect(long.room.slug).not.toBe('');
    const wordless = await createTestRoom({ room_name: '🎉🚀' });
    expect([wordless.room.slug, wordless.room.url]).toEqual(['room', `${api.url}/rooms/${wordless.room.id}/room`]);
  });

  test('releases its usage once when it is deleted, also by concurrent requests', async () => {
    const { account, subscription, params } = await createTestRoom();
    const readUsage = async () => {
      const subscriptionParams = { subscription_id: subscription.id };
      const { data } = await api.admin.readSubscriptionUsage({ params: subscriptionParams, query: { limit: 0 } });
      return data.find(({ tag }) => tag === 'max_rooms')?.usage.data.used;
    };
    await api.admin.createRoom({ body: { room_name: 'Stays', account_id: account.id } });
    expect(await readUsage()).toBe(2);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => api.admin.deleteRoom({ params })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readUsage()).toBe(1);
  });

  test('is deleted with its tokens and codes, once', async () => {
    const { room, params } = await createTestRoom();
    const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'guest' } });
    await api.admin.createRoomAccessCode({ params, body: { role: 'guest' } });
    await api.admin.deleteRoom({ params });
    expect((await refusalOf(api.admin.deleteRoom({ params }))).status).toBe(404);
    expect((await refusalOf(api.admin.readRoom({ params }))).status).toBe(404);
    expect((await refusalOf(api.admin.listRoomTokens({ params }))).status).toBe(404);
    const { db } = api.app.dependencies;
    expect(await db.selectFrom('room_tokens').select('id').where('id', '=', token.uuid).execute()).toEqual([]);
    expect(await db.selectFrom('room_access_codes').select('id').where('room_id', '=', room.uuid).execute()).toEqual(
      [],
    );
    expect((await eventsOf(room.uuid)).map(({ name }) => name)).toEqual(['room.created', 'room.deleted']);
  });

  test('that does not exist is a 404 for every call', async () => {
    const calls = [
      api.admin.readRoom({ params: unknownRoom }),
      patch(unknownRoom, { room_name: 'x' }),
      api.admin.deleteRoom({ params: unknownRoom }),
      api.admin.readRoomFeatures({ params: unknownRoom }),
      api.admin.readRoomStatus({ params: unknownRoom }),
      api.admin.listRoomTokens({ params: unknownRoom }),
      api.admin.createRoomToken({ params: unknownRoom, body: { role: 'guest' } }),
      api.admin.listRoomAccessCodes({ params: unknownRoom }),
      api.admin.createRoomAccessCode({ params: unknownRoom, body: { role: 'guest' } }),
      api.admin.readRoom({ params: { room_id: 'acct_01jd0000000000000000000000' } }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect([refusal.status, refusal.code]).toEqual([404, 'not-found']);
    }
  });
});

describe('settings of a room', () => {
  test('are validated if known, and stored unchanged otherwise', async () => {
    const settings = {
      description: 'Weekly',
      guest_policy: 'ask_moderator',
      user_camera_cap: 0,
      banner_color: '#00ff00',
      logout_url: 'https://example.com/bye',
      'x-theme': { nested: ['a'] },
    };
    const { room, params } = await createTestRoom({ room_settings: settings });
    expect(room.room_settings).toEqual(settings);
    const refusal = await refusalOf(
      patch(params, {
        room_settings: {
          mute_on_start: 'yes',
          user_camera_cap: -1,
          end_when_no_moderator_timeout: 0,
          guest_policy: 'nobody',
          meeting_layout: 'ROUND',
          banner_color: 'green',
          logout_url: 'javascript:alert(1)',
          hero_image: 'not an address',
          anything: 1,
        },
      }),
    );
    expect(refusal.status).toBe(422);
    expect(Object.keys(refusal.errors).toSorted()).toEqual(
      [
        'mute_on_start',
        'user_camera_cap',
        'end_when_no_moderator_timeout',
        'guest_policy',
        'meeting_layout',
        'banner_color',
        'logout_url',
        'hero_image',
      ]
        .map((name) => `room_settings.${name}`)
        .toSorted(),
    );
    expect((await api.admin.readRoom({ params })).data.room_settings).toEqual(settings);
  });

  test('are replaced as a whole', async () => {
    const { params } = await createTestRoom({ room_settings: { mute_on_start: true } });
    const { data } = await patch(params, { room_settings: { welcome_message: 'Hi' } });
    expect(data.room_settings).toEqual({ welcome_message: 'Hi' });
    expect((await patch(params, { room_settings: [] })).data.room_settings).toEqual({});
  });

  test('accept null to unset a value', async () => {
    const { room } = await createTestRoom({ room_settings: { mute_on_start: null, hero_image: '' } });
    expect(room.room_settings).toEqual({ mute_on_start: null, hero_image: '' });
  });
});

describe('features of a room', () => {
  async function readFeatures(params: Params) {
    const { data } = await api.admin.readRoomFeatures({ params });
    return new Map(data.map((feature) => [feature.tag, feature]));
  }

  test('are inherited, and the room can lower but not raise them', async () => {
    const { params } = await createTestRoom({
      room_features: {
        max_participants: 20,
        max_rooms: 'unlimited',
        guest_access: 'N',
        polls: true,
        max_duration: 60,
        'x-unknown': 'kept',
      },
    });
    const roomFeatures = await readFeatures(params);
    expect(roomFeatures.get('recording')).toEqual({
      tag: 'recording',
      subscription: 'true',
      room: null,
      used: 'true',
      source: 'package',
    });
    expect(roomFeatures.get('max_participants')).toMatchObject({
      subscription: '50',
      room: '20',
      used: '20',
      source: 'room',
    });
    expect(roomFeatures.get('guest_access')).toMatchObject({ subscription: 'true', used: 'false', source: 'room' });
    expect(roomFeatures.get('max_rooms')).toMatchObject({ room: 'unlimited', used: '25', source: 'package' });
    expect(roomFeatures.get('polls')).toMatchObject({
      subscription: null,
      room: 'true',
      used: 'false',
      source: 'default',
    });
    expect(roomFeatures.get('max_duration')).toMatchObject({
      subscription: null,
      used: 'unlimited',
      source: 'default',
    });
    expect(roomFeatures.get('x-unknown')).toMatchObject({ room: 'kept', used: null });
    expect([...roomFeatures.keys()].slice(0, featuresOf('meet').length)).toEqual(
      featuresOf('meet').map(({ code }) => code),
    );
  });

  test('follow the subscription when it changes', async () => {
    const { params, subscription } = await createTestRoom({ room_features: { max_participants: 40 } });
    const subscriptionParams = { subscription_id: subscription.id };
    const { data } = await api.admin.listSubscriptionFeatures({ params: subscriptionParams, query: { limit: 0 } });
    const id = data.find(({ tag }) => tag === 'max_participants')?.id ?? '';
    await api.admin.updateSubscriptionFeature({
      params: { ...subscriptionParams, feature_id: id },
      body: { value: 30 },
    });
    expect((await readFeatures(params)).get('max_participants')).toMatchObject({ room: '40', used: '30' });
    await api.admin.deleteSubscriptionFeature({ params: { ...subscriptionParams, feature_id: id } });
    expect((await readFeatures(params)).get('max_participants')).toMatchObject({
      subscription: null,
      used: 'unlimited',
    });
  });

  test('that are invalid are rejected, with an error for each', async () => {
    const { params } = await createTestRoom();
    const body = { room_features: { recording: 'perhaps', max_participants: 1.5, guest_access: null, other: [] } };
    const refusal = await refusalOf(patch(params, body));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([
      422,
      ['room_features.recording', 'room_features.max_participants'],
    ]);
  });
});

describe('tokens of a room', () => {
  test('have an address that opens the join page, and are read as they were created', async () => {
    const { room, params } = await createTestRoom();
    const { data } = await api.admin.createRoomToken({ params, body: { role: 'attendee', name: 'Class' } });
    expect(data).toMatchObject({
      object: 'RoomToken',
      room_id: room.id,
      role: 'attendee',
      name: 'Class',
      expires_at: null,
      last_usage: null,
    });
    expect(data.token).toMatch(/^frm_[\w-]{20,}$/);
    expect(data.url).toBe(`${room.url}?token=${data.token}`);
    const { data: read } = await api.admin.readRoomToken({ params: { ...params, token_id: data.id } });
    expect(read).toEqual(data);
    const { data: listed } = await api.admin.listRoomTokens({ params });
    expect(listed).toEqual([data]);
    expect((await fetch(data.url, { redirect: 'manual' })).status).toBe(200);
  });

  test('differ from each other, and the database, events, audit log and log never contain them in plain text', async () => {
    const { params } = await createTestRoom();
    const created = await Promise.all(
      Array.from({ length: 10 }, () => api.admin.createRoomToken({ params, body: { role: 'guest' } })),
    );
    const tokens = created.map(({ data }) => data.token);
    expect(new Set(tokens).size).toBe(10);
    const { data } = created[0] ?? {};
    const { db } = api.app.dependencies;
    const row = await db
      .selectFrom('room_tokens')
      .selectAll()
      .where('id', '=', data?.uuid ?? '')
      .executeTakeFirst();
    const stored = JSON.stringify([row, await auditOf(data?.uuid ?? ''), await eventsOf(data?.uuid ?? '')]);
    expect(stored).not.toContain(data?.token);
    expect(JSON.stringify(await auditOf(data?.uuid ?? ''))).not.toContain(String(row?.token_sealed));
    expect(api.log()).not.toContain(data?.token);
  });

  test('can change their role, name and expiry, but never the token or its address', async () => {
    const { params } = await createTestRoom();
    const { data: token } = await api.admin.createRoomToken({
      params,
      body: { role: 'guest', expires_at: '2026-05-01' },
    });
    expect(token.expires_at).toBe('2026-05-01T00:00:00.000000Z');
    const tokenParams = { ...params, token_id: token.id };
    const change = (body: Record<string, unknown>) => api.admin.updateRoomToken({ params: tokenParams, body });
    const { data } = await change({ role: 'moderator', expires_at: null, token: token.token, url: token.url });
    expect(data).toMatchObject({ role: 'moderator', expires_at: null, token: token.token, url: token.url });
    const refusal = await refusalOf(change({ token: 'frm_another' }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['token']]);
    const address = await refusalOf(change({ url: `${token.url}x` }));
    expect([address.status, Object.keys(address.errors)]).toEqual([422, ['url']]);
    const role = await refusalOf(change({ role: 'king' }));
    expect([role.status, Object.keys(role.errors)]).toEqual([422, ['role']]);
  });

  test('stop working exactly when they expire, and when they are deleted', async () => {
    const { params } = await createTestRoom();
    const expiresAt = api.clock.after(60);
    const { data } = await api.admin.createRoomToken({ params, body: { role: 'moderator', expires_at: expiresAt } });
    const reasons = async () => {
      const { data: check } = await api.admin.checkRoomEntry({ params, body: { token: data.token } });
      return check.reasons.map(({ code }) => code).filter((code) => code.startsWith('token-'));
    };
    expect(await reasons()).toEqual([]);
    api.clock.set(expiresAt);
    expect(await reasons()).toEqual(['token-expired']);
    await api.admin.deleteRoomToken({ params: { ...params, token_id: data.id } });
    expect(await reasons()).toEqual(['token-unknown']);
  });

  test('are listed newest first, can be searched by role, and can be included in their room', async () => {
    const { params } = await createTestRoom();
    const add = async (body: { role: 'guest' | 'attendee'; name: string; expires_at?: string }) =>
      (await api.admin.createRoomToken({ params, body })).data;
    const first = await add({ role: 'guest', name: 'First' });
    const second = await add({ role: 'attendee', name: 'Second', expires_at: '2026-05-01' });
    expect((await api.admin.listRoomTokens({ params })).data).toEqual([second, first]);
    const guests = await api.admin.listRoomTokens({ params, query: { search: 'role:guest' } });
    expect(guests.data).toEqual([first]);
    const { data: room } = await api.admin.readRoom({ params, query: { include: 'tokens' } });
    const { tokens } = room as unknown as { tokens: { data: (typeof first)[] } };
    expect(tokens.data.map(({ url }) => url).toSorted()).toEqual([first.url, second.url].toSorted());
    await patch(params, { slug: 'moved' });
    const { data: moved } = await api.admin.readRoomToken({ params: { ...params, token_id: first.id } });
    expect(moved.url).toBe(`${api.url}/rooms/${room.id}/moved?token=${first.token}`);
    await api.admin.deleteRoomToken({ params: { ...params, token_id: first.id } });
    expect((await api.admin.listRoomTokens({ params })).data.map(({ id }) => id)).toEqual([second.id]);
  });

  test.each([
    [{}, ['role']],
    [{ role: 'owner' }, ['role']],
    [{ role: 'guest', expires_at: 'tomorrow', name: 'x'.repeat(151) }, ['expires_at', 'name']],
  ])('cannot be created with %j', async (body, fields) => {
    const { params } = await createTestRoom();
    const refusal = await refusalOf(api.admin.createRoomToken({ params, body: body as never }));
    expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([422, fields]);
  });

  test('of another room are not found below this one', async () => {
    const { params } = await createTestRoom();
    const other = await createTestRoom();
    const { data } = await api.admin.createRoomToken({ params: other.params, body: { role: 'guest' } });
    const tokenParams = { ...params, token_id: data.id };
    const calls = [
      api.admin.readRoomToken({ params: tokenParams }),
      api.admin.updateRoomToken({ params: tokenParams, body: { name: 'x' } }),
      api.admin.deleteRoomToken({ params: tokenParams }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
  });
});

describe('access codes of a room', () => {
  test('are generated with eight unambiguous characters, or stored as sent', async () => {
    const { room, params } = await createTestRoom();
    const { data: generated } = await api.admin.createRoomAccessCode({ params, body: { role: 'moderator' } });
    expect(generated).toMatchObject({
      object: 'RoomAccessCode',
      room_id: room.id,
      role: 'moderator',
      last_usage: null,
    });
    expect(generated.code).toMatch(/^[A-Za-z0-9]{8}$/);
    const { data: accessCode } = await api.admin.createRoomAccessCode({
      params,
      body: { role: 'attendee', code: 'Class-7b', expires_at: '2026-04-01' },
    });
    expect(accessCode).toMatchObject({ code: 'Class-7b', expires_at: '2026-04-01T00:00:00.000000Z' });
    const { data: listed } = await api.admin.listRoomAccessCodes({ params });
    expect(listed).toEqual([accessCode, generated]);
    const codeParams = { ...params, code_id: accessCode.id };
    expect((await api.admin.readRoomAccessCode({ params: codeParams })).data).toEqual(accessCode);
  });

  test.each(['abc', 'x'.repeat(33), 'with space', 'ümlaut', 'semi;colon', 'under_score'])(
    'cannot be %s',
    async (code) => {
      const { params } = await createTestRoom();
      const refusal = await refusalOf(api.admin.createRoomAccessCode({ params, body: { role: 'guest', code } }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['code']]);
    },
  );

  test('are unique in their room regardless of case, and can be reused in another', async () => {
    const { params } = await createTestRoom();
    const other = await createTestRoom();
    const add = (roomParams: Params, code: string) =>
      api.admin.createRoomAccessCode({ params: roomParams, body: { role: 'guest', code } });
    const outcomes = await Promise.allSettled(
      ['Same-1', 'same-1', 'SAME-1', 'same-1'].map((code) => add(params, code)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { data: second } = await add(params, 'other-1');
    await add(other.params, 'same-1');
    const change = (code: string) =>
      api.admin.updateRoomAccessCode({ params: { ...params, code_id: second.id }, body: { code } });
    const refusal = await refusalOf(change('sAmE-1'));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['code']]);
    expect((await change('OTHER-1')).data.code).toBe('OTHER-1');
  });

  test('that are generated concurrently differ from each other', async () => {
    const { params } = await createTestRoom();
    const accessCodes = await Promise.all(
      Array.from({ length: 12 }, () => api.admin.createRoomAccessCode({ params, body: { role: 'guest' } })),
    );
    expect(new Set(accessCodes.map(({ data }) => data.code.toLowerCase())).size).toBe(12);
  });

  test('need a role, and may be as short as four characters and as long as 32', async () => {
    const { params } = await createTestRoom();
    for (const code of ['a-1Z', 'X'.repeat(32)]) {
      const { data } = await api.admin.createRoomAccessCode({ params, body: { role: 'guest', code } });
      expect(data.code).toBe(code);
    }
    for (const body of [{}, { role: 'owner' }]) {
      const refusal = await refusalOf(api.admin.createRoomAccessCode({ params, body: body as never }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['role']]);
    }
  });

  test('of another room are not found below this one', async () => {
    const { params } = await createTestRoom();
    const other = await createTestRoom();
    const { data } = await api.admin.createRoomAccessCode({ params: other.params, body: { role: 'guest' } });
    const codeParams = { ...params, code_id: data.id };
    const calls = [
      api.admin.readRoomAccessCode({ params: codeParams }),
      api.admin.updateRoomAccessCode({ params: codeParams, body: { code: 'mine-now' } }),
      api.admin.deleteRoomAccessCode({ params: codeParams }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
    expect((await api.admin.listRoomAccessCodes({ params: other.params })).data).toEqual([data]);
  });

  test('can be changed and deleted; events and audit entries never contain them', async () => {
    const { params } = await createTestRoom();
    const { data: accessCode } = await api.admin.createRoomAccessCode({
      params,
      body: { role: 'guest', code: 'secret-one' },
    });
    const codeParams = { ...params, code_id: accessCode.id };
    const { data } = await api.admin.updateRoomAccessCode({
      params: codeParams,
      body: { code: 'secret-two', role: 'attendee', expires_at: '2026-09-01T10:00:00Z' },
    });
    expect(data).toMatchObject({ code: 'secret-two', role: 'attendee', expires_at: '2026-09-01T10:00:00.000000Z' });
    await api.admin.deleteRoomAccessCode({ params: codeParams });
    expect((await refusalOf(api.admin.readRoomAccessCode({ params: codeParams }))).status).toBe(404);
    const records = [await auditOf(accessCode.uuid), await eventsOf(accessCode.uuid)];
    expect(records[0]?.map((entry) => 'action' in entry && entry.action)).toEqual([
      'room_access_code.created',
      'room_access_code.updated',
      'room_access_code.deleted',
    ]);
    expect(records[1]?.[1]).toMatchObject({ payload: { role: 'attendee', secrets_changed: ['code'] } });
    expect(JSON.stringify(records)).not.toMatch(/secret-(one|two)/);
    expect(api.log()).not.toMatch(/secret-(one|two)/);
  });
});

test('the rooms of a subscription have the features of its package', async () => {
  const { params } = await createTestRoom();
  const { data } = await api.admin.readRoomFeatures({ params });
  const inherited = data.filter(({ source }) => source === 'package').map(({ tag, used }) => [tag, used]);
  expect(Object.fromEntries(inherited)).toEqual(soldFeatures);
});
