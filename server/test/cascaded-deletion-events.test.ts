import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeAccount, makePackage, makeProvider, makeRoom, unique } from './factories.ts';
import { makeBroadcastRoom } from './broadcast-rooms.ts';
import { startFakeMediaServer } from './fake-media-server.ts';
import { inTransaction, system } from '../src/events/change.ts';
import { runJob } from '../src/modules.ts';
import { verifyAudit } from '../src/modules/audit/index.ts';
import { sealEntries } from '../src/modules/audit/seal-entries.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function makeUserId(): Promise<string> {
  const email = `${unique('member')}@example.com`;
  const { data } = await api.admin.createUser({ body: { email, first_name: 'Grace', last_name: 'Hopper' } });
  return data.id;
}

/** The deletion events of the customer, each as its name and the deleted resource. */
async function deletionsOf(customerId: string): Promise<string[]> {
  const query = { search: `customer_id:${customerId}`, limit: 0 };
  const { data } = await api.admin.listEvents({ query });
  return data.flatMap(({ name, resource_id: id, data: { id: dataId } }) =>
    name.endsWith('.deleted') && dataId === id ? [`${name} ${id}`] : [],
  );
}

test('the resources that are deleted with a room have their own events', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  const user_id = await makeUserId();
  const { data: member } = await api.admin.createRoomUser({ params, body: { user_id, permissions: [] } });
  const { data: code } = await api.admin.createRoomAccessCode({ params, body: { role: 'attendee' } });
  await api.admin.deleteRoom({ params });
  const deletions = await deletionsOf(room.customer_id);
  expect(deletions).toEqual(
    expect.arrayContaining([
      `room_user.deleted ${member.id}`,
      `room_access_code.deleted ${code.id}`,
      `room.deleted ${room.id}`,
    ]),
  );
  expect(new Set(deletions).size).toBe(deletions.length);
});

test('the resources that are deleted with a customer have their own events', async () => {
  const { room } = await makeRoom(api);
  const params = { customer_id: room.customer_id };
  const user_id = await makeUserId();
  const { data: member } = await api.admin.createCustomerUser({ params, body: { user_id, permissions: [] } });
  const { data: phone } = await api.admin.createCustomerTelephone({
    params,
    body: { telephone_type: 'mobile', number: '+351912345678' },
  });
  await api.admin.updateCustomer({ params, body: { status: 'terminated' } });
  await api.admin.deleteCustomer({ params });
  expect(await deletionsOf(room.customer_id)).toEqual(
    expect.arrayContaining([
      `customer_user.deleted ${member.id}`,
      `telephone.deleted ${phone.id}`,
      `room.deleted ${room.id}`,
      `customer.deleted ${room.customer_id}`,
    ]),
  );
});

test('tokens, batches and invitations that are deleted with a room have events, in few statements, also if there is more than one batch of deletions', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'attendee' } });
  const { data: batch } = await api.admin.createRoomTokenBatch({
    params,
    body: { tokens: Array.from({ length: 1100 }, () => ({ role: 'attendee' as const })) },
  });
  await runJob(api.app.dependencies, 'make-room-tokens');
  const { data: invitation } = await api.admin.createInvitation({
    params: { customer_id: room.customer_id },
    body: { email: `${unique('invited')}@example.com`, room_id: room.id, permissions: [] },
  });
  // A statement inserts some hundred events.
  expect(await countStatements(() => api.admin.deleteRoom({ params }))).toBeLessThan(60);
  const deletions = await deletionsOf(room.customer_id);
  expect(deletions).toEqual(
    expect.arrayContaining([
      `room_token.deleted ${token.id}`,
      `room_token_batch.deleted ${batch.id}`,
      `invitation.deleted ${invitation.id}`,
    ]),
  );
  expect(deletions.filter((deletion) => deletion.startsWith('room_token.deleted'))).toHaveLength(1101);
  expect(new Set(deletions).size).toBe(deletions.length);
  const { dependencies } = api.app;
  await sealEntries(dependencies.db, dependencies.auditMac);
  const tampering: unknown[] = [];
  await verifyAudit(dependencies, (finding) => tampering.push(finding));
  expect(tampering).toEqual([]);
});

test('features and providers that are deleted with a package have their own events', async () => {
  const provider = await makeProvider(api);
  const servicePackage = await makePackage(api, { provider: provider.id, features: { max_rooms: '10' } });
  const params = { service_package_id: servicePackage.id };
  const { data: features } = await api.admin.listServicePackageFeatures({ params });
  const { data: providers } = await api.admin.listServicePackageProviders({ params });
  expect([features.length, providers.length]).not.toContain(0);
  await api.admin.deleteServicePackage({ params });
  for (const { id, object } of [...features, ...providers]) {
    const { data } = await api.admin.listEvents({ query: { search: `resource_id:${id}` } });
    expect(data.map((event) => [event.name.split('.')[1], event.data])).toContainEqual([
      'deleted',
      expect.objectContaining({ id, object, package_id: servicePackage.id }),
    ]);
  }
});

test('accounts, features and providers that are deleted with a subscription have their own events', async () => {
  const { account, customer, subscription } = await makeAccount(api, {
    features: { max_accounts: '1', max_rooms: '10' },
  });
  const params = { subscription_id: subscription.id };
  const { data: features } = await api.admin.listSubscriptionFeatures({ params });
  const { data: providers } = await api.admin.listSubscriptionProviders({ params });
  await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status: 'terminated' } });
  await api.admin.deleteCustomer({ params: { customer_id: customer.id } });
  const deletions = await deletionsOf(customer.id);
  expect(deletions).toEqual(
    expect.arrayContaining([
      ...features.map(({ id }) => `subscription_feature.deleted ${id}`),
      ...providers.map(({ id }) => `subscription_provider.deleted ${id}`),
      `account.deleted ${account.id}`,
      `subscription.deleted ${subscription.id}`,
    ]),
  );
  expect([features.length, providers.length]).not.toContain(0);
  expect(new Set(deletions).size).toBe(deletions.length);
});

test('all package changes of a deleted subscription have events, also if there is more than one page', async () => {
  const { customer, subscription } = await makeAccount(api);
  const params = { subscription_id: subscription.id };
  const target = await makePackage(api);
  await api.admin.changePackage({ params, body: { package_id: target.id, when: 'period_end' } });
  // A thousand package changes of the past are copies of the scheduled one.
  await api.app.connection.pool.query(
    `insert into subscription_package_changes
     select (jsonb_populate_record(null::subscription_package_changes,
       to_jsonb(model) || jsonb_build_object('id', uuidv7(), 'status', 'withdrawn'))).*
     from subscription_package_changes model, generate_series(1, 1000) where subscription_id = $1`,
    [subscription.uuid],
  );
  await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
  await api.admin.deleteSubscription({ params });
  const deletions = (await deletionsOf(customer.id)).filter((deletion) =>
    deletion.startsWith('subscription_package_change.deleted'),
  );
  expect(new Set(deletions).size).toBe(1001);
});

test('the event of a provider that is removed from a package or subscription contains the provider as the API returned it', async () => {
  const { subscription, servicePackage } = await makeAccount(api, { features: { max_accounts: '1' } });
  const { id: service_provider_id } = await makeProvider(api);
  const packageParams = { service_package_id: servicePackage.id };
  const { data: sold } = await api.admin.createServicePackageProvider({
    params: packageParams,
    body: { service_provider_id, active: false },
  });
  const subscriptionParams = { subscription_id: subscription.id };
  const { data: used } = await api.admin.createSubscriptionProvider({
    params: subscriptionParams,
    body: { package_provider_id: sold.id, active: false },
  });
  await api.admin.deleteSubscriptionProvider({ params: { ...subscriptionParams, provider_id: used.id } });
  await api.admin.deleteServicePackageProvider({ params: { ...packageParams, provider_id: sold.id } });
  for (const returned of [used, sold]) {
    const { data } = await api.admin.listEvents({ query: { search: `resource_id:${returned.id}` } });
    const deletion = data.find(({ name }) => name.endsWith('.deleted'));
    expect(Object.keys(deletion?.data ?? {}).toSorted()).toEqual(Object.keys(returned).toSorted());
    expect(deletion?.data).toMatchObject({ id: returned.id, active: false });
  }
});

test('many events in one transaction, some of the same resource, are numbered in order without gaps', async () => {
  const { room, account } = await makeRoom(api);
  const { dependencies } = api.app;
  const rooms = [room.uuid, account.uuid];
  const events = Array.from({ length: 1300 }, (_, index) => ({
    name: 'room.updated' as const,
    resource: { type: 'Room', id: rooms[index % 2] ?? '' },
    details: { index },
  }));
  await inTransaction(dependencies, system, ({ emitAll }) => emitAll(events));
  for (const [parity, id] of rooms.entries()) {
    const { data } = await api.admin.listEvents({
      query: { search: `resource_id:${id}`, orderBy: 'sequence', sortedBy: 'asc', limit: 0 },
    });
    expect(data.map(({ sequence }) => sequence)).toEqual(data.map((_, index) => index + 1));
    const indexes = data.flatMap(({ data: { index } }) => (typeof index === 'number' ? [index] : []));
    expect(indexes).toEqual(Array.from({ length: 650 }, (_, index) => 2 * index + parity));
  }
});

test('meetings that are deleted with a room have events with their last state', async () => {
  const { room } = await makeRoom(api);
  await api.app.connection.pool.query(
    `insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
      end_reason, created_at, updated_at)
    select gen_random_uuid(), id, customer_id, subscription_id, id, 'ended', now(), now(), 'ended', now(), now()
    from rooms, generate_series(1, 1001) where id = $1`,
    [room.uuid],
  );
  const { data: meetings } = await api.admin.listMeetings({ query: { search: `room_id:${room.id}`, limit: 0 } });
  await api.admin.deleteRoom({ params: { room_id: room.id } });
  const deletions = await deletionsOf(room.customer_id);
  expect(meetings).toHaveLength(1001);
  expect(deletions).toEqual(expect.arrayContaining(meetings.map(({ id }) => `meeting.deleted ${id}`)));
  const [meeting] = meetings;
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${meeting?.id}` } });
  expect(data).toMatchObject([{ name: 'meeting.deleted', data: { state: 'ended', room_id: room.id }, previous: {} }]);
});

test('a live room has one event for the creation of its stream, and one for its deletion with the room', async () => {
  const media = await startFakeMediaServer(() => api.clock.nowMs());
  onTestFinished(() => media.close());
  const { params, customer } = await makeBroadcastRoom(api, { media });
  const [{ data: stream }] = await Promise.all([api.admin.readStream({ params }), api.admin.readStream({ params })]);
  await api.admin.deleteRoom({ params });
  expect(await deletionsOf(customer.id)).toContain(`stream.deleted ${stream.id}`);
  const { data: events } = await api.admin.listEvents({
    query: { search: `resource_id:${stream.id}`, orderBy: 'sequence', sortedBy: 'asc' },
  });
  expect(events.map(({ name }) => name)).toEqual(['stream.created', 'stream.deleted']);
  expect(events[0]).toMatchObject({ sequence: 1, customer_id: customer.id, previous: null, data: { id: stream.id } });
  expect(events[0]?.data['ingest']).toMatchObject({ stream_key: '********' });
});

/** The names of the events about a resource. */
async function eventNamesOf(id: string): Promise<string[]> {
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${id}`, limit: 0 } });
  return data.map(({ name }) => name);
}

test('sessions and personal access tokens that end with their owner have events', async () => {
  const password = 'a long enough password';
  const email = `${unique('person')}@example.com`;
  const { data: user } = await api.admin.createUser({
    body: { email, first_name: 'Pe', last_name: 'Rson', password },
  });
  const self = api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
  const { data: token } = await self.createPersonalAccessToken({ body: { name: 'Own', scopes: ['rooms:read'] } });
  const sessions = (await self.listOauthTokens()).data.filter(({ kind }) => kind === 'session');
  await api.admin.deleteUser({ params: { user_id: user.id } });
  expect(await eventNamesOf(token.id)).toContain('personal_access_token.deleted');
  expect(sessions).toHaveLength(1);
  expect(await eventNamesOf(sessions[0]?.id ?? '')).toContain('oauth_token.deleted');
  const { data: events } = await api.admin.listEvents({ query: { search: 'name:personal_access_token.deleted' } });
  expect(events[0]?.data).toMatchObject({ id: token.id, name: 'Own', scopes: ['rooms:read'], token: null });
});

test('tokens of administrators have events when the administrator, the password or the client ends them', async () => {
  const password = 'a long enough password';
  const username = unique('admin');
  const { data: admin } = await api.admin.createAdmin({
    body: { username, email: `${username}@example.com`, first_name: 'Ad', last_name: 'Min', password },
  });
  const signIn = async () =>
    api.clientWith((await api.anyone.loginAdmin({ body: { username, password } })).access_token);
  const sessionOf = async (self: Awaited<ReturnType<typeof signIn>>) =>
    (await self.listOauthTokens()).data.find(({ current }) => current)?.id ?? '';
  const first = await sessionOf(await signIn());
  await api.admin.updateAdmin({ params: { admin_id: admin.id }, body: { password: `${password} too` } });
  expect(await eventNamesOf(first)).toContain('oauth_token.deleted');
  await api.admin.updateAdmin({ params: { admin_id: admin.id }, body: { password } });
  const second = await sessionOf(await signIn());
  await api.admin.deleteAdmin({ params: { admin_id: admin.id } });
  expect(await eventNamesOf(second)).toContain('oauth_token.deleted');
  const { data: client } = await api.admin.createOauthClient({
    body: { name: 'Program', population: 'admins', grants: ['client_credentials'], scopes: ['rooms:read'] },
  });
  await api.anyone.issueToken({
    body: {
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret ?? '',
    },
  });
  await api.admin.deleteOauthClient({ params: { client_id: client.id } });
  const { data: events } = await api.admin.listEvents({ query: { search: 'name:oauth_token.deleted', limit: 1 } });
  expect(events[0]?.data).toMatchObject({ kind: 'client', client_id: client.id });
});

test('participants that are deleted with the meetings of their room have events with their last state, each once', async () => {
  const { room } = await makeRoom(api);
  const { pool } = api.app.connection;
  await pool.query(
    `insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
      end_reason, created_at, updated_at)
    select gen_random_uuid(), id, customer_id, subscription_id, id, 'ended', now(), now(), 'ended', now(), now()
    from rooms, generate_series(1, 2) where id = $1`,
    [room.uuid],
  );
  // 1,001 participants with two stays each, and an unused reservation.
  await pool.query(
    `with person as (
      insert into room_entries (id, room_id, meeting_id, subscription_id, role, full_name, expires_at, joined_at, left_at, created_at)
      select gen_random_uuid(), meeting.room_id, meeting.id, meeting.subscription_id, 'guest', 'Anna', now(),
        case when number > 0 then now() - interval '1 hour' end, now(), now()
      from (select * from meetings where room_id = $1 limit 1) meeting, generate_series(0, 1001) number
      returning *
    )
    insert into room_entries (id, room_id, meeting_id, subscription_id, first_entry_id, role, expires_at, joined_at, left_at, created_at)
    select gen_random_uuid(), room_id, meeting_id, subscription_id, id, role, now(), now() - interval '1 minute', now(), now()
    from person where joined_at is not null`,
    [room.uuid],
  );
  const { data: meetings } = await api.admin.listMeetings({ query: { search: `room_id:${room.id}`, limit: 0 } });
  const people = [];
  for (const { id } of meetings)
    people.push(...(await api.admin.listMeetingParticipants({ params: { meeting_id: id }, query: { limit: 0 } })).data);
  await api.admin.deleteRoom({ params: { room_id: room.id } });
  expect(people).toHaveLength(1001);
  const deletions = (await deletionsOf(room.customer_id)).filter((deletion) => deletion.startsWith('participant'));
  expect(deletions.toSorted()).toEqual(people.map(({ id }) => `participant.deleted ${id}`).toSorted());
  const [person] = people;
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${person?.id}` } });
  expect(events).toMatchObject([
    {
      resource_type: 'Participant',
      sequence: 1,
      data: { ...withoutRelativeTimes(person), name: '********' },
      previous: {},
    },
  ]);
});

/** Removes the relative times, which depend on the time of the request. */
function withoutRelativeTimes(resource: object | undefined): object {
  return Object.fromEntries(Object.entries(resource ?? {}).filter(([name]) => !name.startsWith('readable_')));
}

test('package changes have their own events, also when they are deleted with their subscription', async () => {
  const { subscription, customer, servicePackage } = await makeAccount(api, { features: { max_accounts: '1' } });
  const params = { subscription_id: subscription.id };
  const { data: terms } = await api.admin.readSubscription({ params });
  const other = await makePackage(api, { body: { currency: terms.currency }, features: { max_accounts: '2' } });
  const changeAt = (when: 'now' | 'period_end', target: { readonly id: string }) =>
    api.admin.changePackage({ params, body: { package_id: target.id, when } });
  const before = (await api.admin.listSubscriptionProviders({ params })).data;
  await changeAt('now', other);
  const after = (await api.admin.listSubscriptionProviders({ params })).data;
  await changeAt('period_end', servicePackage);
  const { data: changes } = await api.admin.listPackageChanges({ params, query: { orderBy: 'created_at' } });
  const scheduled = changes.find(({ status }) => status === 'scheduled');
  await api.admin.withdrawPackageChange({ params: { ...params, package_change_id: scheduled?.id ?? '' } });
  const { data: finalChanges } = await api.admin.listPackageChanges({ params });
  await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
  await api.admin.deleteSubscription({ params });
  const eventsOf = async (id: string) =>
    (
      await api.admin.listEvents({
        query: { search: `resource_id:${id}`, orderBy: 'sequence', sortedBy: 'asc', limit: 0 },
      })
    ).data;
  expect(finalChanges).toHaveLength(2);
  for (const returned of finalChanges) {
    const events = await eventsOf(returned.id);
    expect(events.map(({ name }) => name.split('.')[1])).toEqual([
      'created',
      ...(returned.id === scheduled?.id ? ['updated'] : []),
      'deleted',
    ]);
    expect(events.at(-1)).toMatchObject({
      resource_type: 'SubscriptionPackageChange',
      customer_id: customer.id,
      data: withoutRelativeTimes(returned),
    });
  }
  expect((await eventsOf(scheduled?.id ?? ''))[1]).toMatchObject({
    data: { status: 'withdrawn' },
    previous: { status: 'scheduled' },
  });
  const withdrawn = (await eventsOf(subscription.id)).find(({ name }) => name.endsWith('package_change_withdrawn'));
  expect(withdrawn).toMatchObject({ data: { status: 'active', package_change_id: scheduled?.id }, previous: {} });
  // The packages have different providers.
  expect(await eventNamesOf(before[0]?.id ?? '')).toContain('subscription_provider.deleted');
  expect(await eventNamesOf(after[0]?.id ?? '')).toContain('subscription_provider.created');
});

test('expired sessions and personal access tokens have an event when they are removed, and sessions that ended earlier have no second one', async () => {
  const password = 'a long enough password';
  const email = `${unique('person')}@example.com`;
  await api.admin.createUser({ body: { email, first_name: 'Ex', last_name: 'Pired', password } });
  const signIn = async () =>
    api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
  const ended = await signIn();
  const self = await signIn();
  const { data: token } = await self.createPersonalAccessToken({ body: { name: 'Own', scopes: ['rooms:read'] } });
  const { data: sessions } = await self.listOauthTokens();
  await ended.logout();
  api.clock.advance({ days: 200 });
  await runJob(api.app.dependencies, 'prune-tokens');
  const ids = [...sessions.flatMap(({ id, kind }) => (kind === 'session' ? [id] : [])), token.id];
  expect(ids).toHaveLength(3);
  for (const id of ids) {
    const deletions = (await eventNamesOf(id)).filter((name) => name.endsWith('.deleted'));
    expect(deletions).toEqual([id === token.id ? 'personal_access_token.deleted' : 'oauth_token.deleted']);
  }
  await runJob(api.app.dependencies, 'prune-tokens');
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${token.id}` } });
  expect(data[0]).toMatchObject({
    data: { name: 'Own', scopes: ['rooms:read'], token: null },
    actor: { type: 'system' },
  });
});
