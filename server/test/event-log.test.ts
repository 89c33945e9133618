import type { AnswerOf } from '@foyer/contract/conventions/endpoint.ts';
import type { eventEndpoints } from '@foyer/contract/resources/events/event.ts';
import { eventTypes } from '@foyer/contract/conventions/event-types.ts';
import type { Client } from '@foyer/sdk';
import { generateSync } from 'otplib/functional';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { inTransaction, system } from '../src/events/change.ts';
import { runJob } from '../src/modules.ts';
import { publishAll } from '../src/modules/events/index.ts';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { adminPassword, makeAdmin, signIn } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeCustomer, makeProvider, makeRoom, refusalOf, unique } from './factories.ts';
import { firstAdmin } from './first-admin.ts';
import { makeBroadcastRoom } from './broadcast-rooms.ts';
import { startFakeMediaServer } from './fake-media-server.ts';

let api: TestApi;
beforeAll(async () => {
  // Events are pruned by the time in their ids, which comes from the real clock.
  api = await startApi({ now: new Date().toISOString() });
});
afterAll(() => api.close());

type EventRow = AnswerOf<typeof eventEndpoints.readEvent>['data'];

async function eventsOf(id: string): Promise<EventRow[]> {
  const { data } = await api.admin.listEvents({
    query: { search: `resource_id:${id}`, orderBy: 'sequence', sortedBy: 'asc' },
  });
  return data;
}

const withoutRelativeTimes = (resource: object) =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !name.startsWith('readable_')));

test('an event contains the resource as the API returned it at that time, the actor, and the previous values of changed members', async () => {
  const { room, customer } = await makeRoom(api);
  const params = { room_id: room.id };
  const { data: renamed } = await api.admin.updateRoom({ params, body: { room_name: 'Later' } });
  await api.admin.deleteRoom({ params });
  const [created, updated, deleted, ...furtherEvents] = await eventsOf(room.id);
  expect(furtherEvents).toEqual([]);
  expect(created).toMatchObject({
    object: 'Event',
    id: expect.stringMatching(/^evt_/),
    name: 'room.created',
    resource_type: 'Room',
    resource_id: room.id,
    sequence: 1,
    customer_id: customer.id,
    actor: { type: 'admin', id: expect.stringMatching(/^admin_/), name: expect.any(String) },
    previous: null,
  });
  expect(withoutRelativeTimes(created?.data ?? {})).toEqual(withoutRelativeTimes(room));
  expect(updated).toMatchObject({ name: 'room.updated', sequence: 2, previous: { room_name: room.room_name } });
  expect(Object.keys(updated?.previous ?? {})).toEqual(['room_name']);
  expect(withoutRelativeTimes(updated?.data ?? {})).toEqual(withoutRelativeTimes(renamed));
  expect(deleted).toMatchObject({ name: 'room.deleted', sequence: 3, previous: {} });
  expect(withoutRelativeTimes(deleted?.data ?? {})).toEqual(withoutRelativeTimes(renamed));
  expect((await api.admin.readEvent({ params: { event_id: created?.id ?? '' } })).data).toEqual(created);
});

test('credentials are masked in events', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'guest' } });
  const { data: code } = await api.admin.createRoomAccessCode({ params, body: { role: 'guest', code: 'sesame-42' } });
  const { data } = await api.admin.listEvents({ query: { limit: 0 } });
  const text = JSON.stringify(data);
  expect(text).toContain(token.id);
  expect(text).toContain(code.id);
  for (const secret of [token.token, 'sesame-42']) expect(text).not.toContain(secret);
});

test('the previous values contain a changed credential in masked form', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  const { data: code } = await api.admin.createRoomAccessCode({ params, body: { role: 'guest', code: 'sesame-43' } });
  await api.admin.updateRoomAccessCode({ params: { ...params, code_id: code.id }, body: { code: 'sesame-44' } });
  const provider = await makeProvider(api, { apiUrl: 'http://127.0.0.1:9', secret: 'the-shared-secret' });
  await api.admin.updateServiceProvider({
    params: { service_provider_id: provider.id },
    body: { properties: { secret: 'another-shared-secret' } },
  });
  const [changedCode] = (await eventsOf(code.id)).toReversed();
  expect(changedCode).toMatchObject({ name: 'room_access_code.updated', previous: { code: '********' } });
  const [changedProvider] = (await eventsOf(provider.id)).toReversed();
  expect(changedProvider?.previous).toMatchObject({ properties: { secret: '********' } });
});

test('the previous values of every event are members of its resource, and sign-in events contain the whole resource', async () => {
  const { data: webhook } = await api.admin.createWebhook({
    body: { url: 'https://example.com/hook', events: ['room.*'] },
  });
  const params = { webhook_id: webhook.id };
  await api.admin.updateWebhook({ params, body: { events: ['*'] } });
  await api.admin.rotateWebhookSecret({ params, body: {} });
  await api.admin.deleteWebhook({ params });
  const email = `${unique('person')}@example.com`;
  const password = 'a long enough password';
  const { data: user } = await api.admin.createUser({ body: { email, first_name: 'Pe', last_name: 'Rson', password } });
  await api.anyone.loginUser({ body: { username: email, password } });
  const { data: events } = await api.admin.listEvents({ query: { limit: 0 } });
  for (const { name, data, previous } of events)
    expect([name, Object.keys(previous ?? {}).filter((member) => !(member in data))]).toEqual([name, []]);
  expect(events.find(({ name }) => name === 'webhook.updated')?.previous).toEqual({ events: ['room.*'] });
  expect(events.find(({ name }) => name === 'webhook.deleted')?.data).toMatchObject({ id: webhook.id, events: ['*'] });
  const userSignIn = events.find(({ name }) => name === 'user.logged_in');
  expect(userSignIn).toMatchObject({ data: { id: user.id, email, first_name: 'Pe' }, previous: {} });
  const adminSignIn = events.find(({ name }) => name === 'admin.logged_in');
  expect(adminSignIn?.data).toMatchObject({ id: adminSignIn?.resource_id, username: firstAdmin.username });
});

test('the start and the end of a session of an administrator or a user have events, which contain the session as the API returns it', async () => {
  const { username } = await makeAdmin(api);
  const { customer } = await makeAccount(api);
  const userPassword = 'difference engine no. 2';
  const user = await api.anyone.loginUser({ body: { username: customer.email, password: userPassword } });
  const [earlier, self] = [await signIn(api, username), await signIn(api, username)];
  const listSessions = async (client: Client) => (await client.listOauthTokens()).data;
  const sessions = [...(await listSessions(self)), ...(await listSessions(api.clientWith(user.access_token)))];
  expect(sessions.map(({ kind }) => kind)).toEqual(['session', 'session', 'session']);
  for (const { id, last_used_at: _, updated_at: __, ...session } of sessions) {
    const [created, ...furtherEvents] = await eventsOf(id);
    expect(furtherEvents).toEqual([]);
    expect(created).toMatchObject({ name: 'oauth_token.created', sequence: 1, previous: null });
    expect(created?.actor.name).toBe(id === sessions[2]?.id ? customer.email : username);
    const unused = { current: false, last_used_at: null, updated_at: session.created_at };
    expect(withoutRelativeTimes(created?.data ?? {})).toEqual(withoutRelativeTimes({ id, ...session, ...unused }));
  }
  const { data: enrollment } = await self.beginTwoFactor({ body: { password: adminPassword } });
  const code = generateSync({ secret: enrollment.secret, epoch: Math.floor(api.clock.nowMs() / 1000) });
  await self.confirmTwoFactor({ body: { code } });
  expect(await refusalOf(listSessions(earlier))).toMatchObject({ status: 401 });
  const [remaining] = await listSessions(self);
  const namesOf = async (id = '') => (await eventsOf(id)).map(({ name }) => name);
  const ended = sessions.slice(0, 2).find(({ id }) => id !== remaining?.id);
  expect(await namesOf(remaining?.id)).toEqual(['oauth_token.created']);
  expect(await namesOf(ended?.id)).toEqual(['oauth_token.created', 'oauth_token.deleted']);
});

test('users and the webhooks of their customer get the events of streams', async () => {
  const media = await startFakeMediaServer(() => api.clock.nowMs());
  onTestFinished(() => media.close());
  const { params, customer } = await makeBroadcastRoom(api, { media });
  const { data: webhook } = await api.admin.createWebhook({
    body: { url: 'https://example.com/hook', events: ['stream.*'], customer_id: customer.id },
  });
  await api.admin.updateStream({ params, body: { record: true } });
  await publishAll(api.app.dependencies);
  const { access_token: token } = await api.anyone.loginUser({
    body: { username: customer.email, password: 'difference engine no. 2' },
  });
  const { data } = await api.clientWith(token).listEvents({ query: { search: 'resource_type:Stream' } });
  expect(data.map(({ name }) => name)).toEqual(['stream.updated', 'stream.created']);
  const deliveries = await api.admin.listWebhookDeliveries({ params: { webhook_id: webhook.id } });
  expect(deliveries.data.map(({ event_name: name }) => name)).toEqual(['stream.updated', 'stream.created']);
});

/** Emits events of these resources for the customers, in one transaction. */
async function emitUpdates(events: readonly { readonly id: string; readonly customerId: string }[]): Promise<void> {
  await inTransaction(api.app.dependencies, system, (change) =>
    change.emitAll(
      events.map(({ id, customerId }) => ({ name: 'room.updated', resource: { type: 'Room', id }, customerId })),
    ),
  );
}

async function positionsOf(resourceId: string): Promise<number[]> {
  const query = api.app.dependencies.db.selectFrom('events').select('position').orderBy('sequence');
  const rows = await query.where('resource_id', '=', resourceId).execute();
  return rows.map(({ position }) => Number(position));
}

test('a bulk change of one customer does not delay the events of other customers', async () => {
  await publishAll(api.app.dependencies);
  const [bulk, other, lastOfBulk] = [newUuid(), newUuid(), newUuid()];
  await emitUpdates(Array.from({ length: 2500 }, () => ({ id: newUuid(), customerId: bulk })));
  await emitUpdates([{ id: lastOfBulk, customerId: bulk }]);
  await emitUpdates([{ id: other, customerId: newUuid() }]);
  expect(await publishAll(api.app.dependencies)).toBe(2502);
  const [[positionOfLast = 0], [positionOfOther = 0]] = [await positionsOf(lastOfBulk), await positionsOf(other)];
  expect(positionOfLast - positionOfOther).toBeGreaterThan(1000);
});

test('events of a resource are published in order when it moves to another customer during a bulk change', async () => {
  await publishAll(api.app.dependencies);
  const [bulk, moved] = [newUuid(), newUuid()];
  await emitUpdates(Array.from({ length: 2500 }, () => ({ id: newUuid(), customerId: bulk })));
  await emitUpdates([{ id: moved, customerId: bulk }]);
  await emitUpdates([{ id: moved, customerId: bulk }]);
  await emitUpdates([{ id: moved, customerId: newUuid() }]);
  await publishAll(api.app.dependencies);
  const positions = await positionsOf(moved);
  expect(positions).toHaveLength(3);
  expect(positions).toEqual(positions.toSorted((one, next) => one - next));
});

/** Reads the event stream until it has the expected number of events of room tokens. Other events, such as sign-ins, are skipped. */
async function readStream(count: number, lastEventId?: string): Promise<EventRow[]> {
  const connection = new AbortController();
  const { username, password } = firstAdmin;
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password } });
  const response = await fetch(`${api.url}/api/v1/events/stream`, {
    headers: { authorization: `Bearer ${token}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
    signal: connection.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events: EventRow[] = [];
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const fields = Object.fromEntries(
        message.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (!fields['data']) continue;
      const event = JSON.parse(fields['data']) as EventRow;
      expect([fields['id'], fields['event']]).toEqual([event.id, event.name]);
      if (event.resource_type === 'RoomToken') events.push(event);
    }
    if (events.length >= count) break;
  }
  connection.abort();
  return events;
}

test('a stream continues after Last-Event-ID without a gap during concurrent changes', async () => {
  const { room } = await makeRoom(api);
  await publishAll(api.app.dependencies);
  const [created] = await eventsOf(room.id);
  const count = 60;
  const reading = readStream(count, created?.id);
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await api.admin.createRoomToken({
        params: { room_id: room.id },
        body: { role: 'guest', name: `Guest ${index}` },
      });
      await publishAll(api.app.dependencies);
    }),
  );
  await publishAll(api.app.dependencies);
  const received = await reading;
  expect(new Set(received.map(({ id }) => id)).size).toBe(count);
  expect(received).toHaveLength(count);
  const middle = received[20];
  expect((await readStream(count - 21, middle?.id)).map(({ id }) => id)).toEqual(
    received.slice(21).map(({ id }) => id),
  );
});

test('Last-Event-ID must be the id of an event', async () => {
  const refusal = await refusalOf(api.admin.streamEvents({ query: { last_event_id: 'yesterday' } }));
  expect([refusal.status, Object.keys(refusal.errors ?? {})]).toEqual([422, ['last_event_id']]);
});

test('users can read only the events of their own customers that their rights allow', async () => {
  const [ownFixture, otherFixture] = [await makeRoom(api), await makeRoom(api)];
  await api.admin.createRoomToken({ params: { room_id: ownFixture.room.id }, body: { role: 'guest' } });
  const email = `${unique('reader')}@example.com`;
  const person = { email, first_name: 'Rea', last_name: 'Der', password: 'correct horse battery' };
  const { data: user } = await api.admin.createUser({ body: person });
  await api.admin.createCustomerUser({
    params: { customer_id: ownFixture.customer.id },
    body: { user_id: user.id, permissions: ['read-customer', 'read-room'] },
  });
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password: person.password } });
  const reader = api.clientWith(token);
  const { data } = await reader.listEvents({ query: { limit: 0 } });
  expect(new Set(data.map(({ resource_type: type }) => type))).toEqual(new Set(['Customer', 'Room']));
  expect(new Set(data.map(({ customer_id: id }) => id))).toEqual(new Set([ownFixture.customer.id]));
  const [eventOfOther] = await eventsOf(otherFixture.room.id);
  expect((await refusalOf(reader.readEvent({ params: { event_id: eventOfOther?.id ?? '' } }))).status).toBe(404);
});

test('no search, order, filter or include shows a user an event of another customer', async () => {
  const [ownFixture, otherFixture] = [await makeRoom(api), await makeRoom(api)];
  const { access_token: token } = await api.anyone.loginUser({
    body: { username: ownFixture.customer.email, password: 'difference engine no. 2' },
  });
  const reader = api.clientWith(token);
  const [eventOfOther] = await eventsOf(otherFixture.room.id);
  const [room, customer, event] = [otherFixture.room.id, otherFixture.customer.id, eventOfOther?.id ?? ''];
  for (const query of [
    { search: `customer_id:${customer}` },
    { search: `customer_id:${customer};resource_id:${room}`, searchJoin: 'or' },
    { search: `customer_id:${customer};customer_id:${ownFixture.customer.id}` },
    { search: `id:${event}` },
    { search: `customer_id:${ownFixture.customer.id}`, searchFields: 'customer_id:!=' },
    { search: 'room.created', include: 'customer,data,actor,customer.rooms' },
    { orderBy: 'customer_id', sortedBy: 'asc', filter: 'id,customer_id,data' },
    { search: `occurred_at:2000-01-01,2100-01-01`, searchFields: 'occurred_at:between', limit: 0 },
  ]) {
    const answer = await reader.listEvents({ query: { limit: 1000, ...query } as never });
    expect([query, new Set(answer.data.map(({ customer_id: id }) => id)).has(customer)]).toEqual([query, false]);
    for (const id of [room, customer, event]) expect(JSON.stringify(answer.data)).not.toContain(id);
  }
});

test('the event of a reached limit contains the tag of the subscription and the tag of the feature', async () => {
  const { subscription, account } = await makeAccount(api, { features: { max_accounts: '1', max_rooms: '1' } });
  const createRoom = () => api.admin.createRoom({ body: { account_id: account.id, room_name: 'Room' } });
  await createRoom();
  expect((await refusalOf(createRoom())).code).toBe('feature-limit-reached');
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${subscription.id}`, limit: 0 } });
  const reached = data.filter(({ name }) => name === 'subscription.limit_reached').map((event) => event.data);
  expect(reached).toContainEqual(
    expect.objectContaining({
      object: 'ServicePackageSubscription',
      tag: subscription.tag,
      feature: { tag: 'max_rooms', limit: '1', used: 1 },
    }),
  );
});

test("the resource type of events of a subscription's provider is its `object`", async () => {
  const { subscription } = await makeAccount(api);
  const params = { subscription_id: subscription.id };
  const { data: providers } = await api.admin.listSubscriptionProviders({ params });
  const id = providers[0]?.id ?? '';
  await api.admin.updateSubscriptionProvider({
    params: { ...params, provider_id: id },
    body: { metadata: { rack: '7' } },
  });
  const query = { search: 'resource_type:ServicePackageProvider', searchFields: 'resource_type:=', limit: 0 };
  const { data } = await api.admin.listEvents({ query });
  expect(data.filter(({ resource_id: resource }) => resource === id)).toMatchObject([
    {
      name: 'subscription_provider.updated',
      resource_type: 'ServicePackageProvider',
      data: { object: 'ServicePackageProvider', id, metadata: { rack: '7' } },
    },
    { name: 'subscription_provider.created', resource_type: 'ServicePackageProvider', data: { id, metadata: {} } },
  ]);
  expect(data.map(({ name }) => name)).toContain('service_package_provider.created');
});

test('the features and members that are created with a subscription and a room have their own events', async () => {
  const { subscription, account, customer } = await makeAccount(api);
  const { data: room } = await api.admin.createRoom({ body: { room_name: 'Own events', account_id: account.id } });
  const namesOf = async (id: string) => (await eventsOf(id)).map(({ name }) => name);
  const { data: features } = await api.admin.listSubscriptionFeatures({ params: { subscription_id: subscription.id } });
  expect(features).not.toEqual([]);
  for (const { id } of features) expect(await namesOf(id)).toEqual(['subscription_feature.created']);
  const { data: owners } = await api.admin.listRoomUsers({ params: { room_id: room.id } });
  const { data: members } = await api.admin.listCustomerUsers({ params: { customer_id: customer.id } });
  expect(await namesOf(owners[0]?.id ?? '')).toEqual(['room_user.created']);
  expect(await namesOf(members[0]?.id ?? '')).toEqual(['customer_user.created']);
});

test('synchronizing a subscription emits an event for each added feature', async () => {
  const { subscription } = await makeAccount(api);
  const params = { subscription_id: subscription.id };
  await api.app.connection.pool.query('delete from subscription_features where subscription_id = $1', [
    subscription.uuid,
  ]);
  await api.admin.syncSubscriptionFeatures({ params, body: { sync: true } });
  const { data: features } = await api.admin.listSubscriptionFeatures({ params });
  expect(features).not.toEqual([]);
  for (const { id } of features)
    expect((await eventsOf(id)).map(({ name }) => name)).toEqual(['subscription_feature.created']);
});

test('events are kept for the number of days in the setting', async () => {
  const customer = await makeCustomer(api);
  api.clock.advance({ days: 89 });
  await runJob(api.app.dependencies, 'prune-events');
  expect(await eventsOf(customer.id)).not.toEqual([]);
  api.clock.advance({ days: 2 });
  await runJob(api.app.dependencies, 'prune-events');
  expect(await eventsOf(customer.id)).toEqual([]);
});

test('a search for a part of an event name is not case-sensitive', async () => {
  await makeRoom(api);
  const namesOf = async (search: string) => {
    const { data } = await api.admin.listEvents({ query: { search, limit: 0 } });
    return [...new Set(data.map(({ name }) => name))].toSorted();
  };
  expect(await namesOf('name:ROOM.Creat')).toEqual(['room.created']);
  expect(await namesOf('name:tion.created')).toContain('subscription.created');
  expect(await namesOf('PACKAGE creat')).toEqual(expect.arrayContaining(['service_package.created']));
  expect(await namesOf('name:no-such-event')).toEqual([]);
});

test('the catalogue has every event with a sentence and an example', async () => {
  const { data } = await api.admin.listEventTypes({ query: { limit: 0 } });
  expect(data.map(({ name }) => name)).toEqual(eventTypes.map(({ name }) => name));
  for (const { name, description, example } of data) {
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(example).toMatchObject({ object: 'Event', name, resource_type: expect.any(String) });
  }
  const { data: matches } = await api.admin.listEventTypes({ query: { search: 'transferred' } });
  expect(matches.map(({ name }) => name)).toEqual(['room.transferred']);
});
