import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, refusalOf } from './factories.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

function terminate(customer: { id: string }) {
  return api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status: 'terminated' } });
}

/** The names of the events of a row, oldest first. */
async function eventsOf({ uuid }: { uuid: string }): Promise<string[]> {
  const rows = await api.app.dependencies.db
    .selectFrom('events')
    .select('name')
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  return rows.map(({ name }) => name);
}

test('everything that becomes inactive with its customer has an event, and nothing that was inactive before', async () => {
  const { customer, subscription, account, room } = await makeRoom(api);
  const { data: idleAccount } = await api.admin.createAccount({
    body: { account_name: 'Idle', subscription_id: subscription.id, status: 'inactive' },
  });
  const { data: idleRoom } = await api.admin.createRoom({
    body: { room_name: 'Idle', account_id: account.id, status: 'inactive' },
  });
  await terminate(customer);
  expect((await api.admin.readRoom({ params: { room_id: room.id } })).data.status).toBe('inactive');
  expect(await eventsOf(account)).toEqual(['account.created', 'account.updated']);
  expect(await eventsOf(room)).toEqual(['room.created', 'room.updated']);
  expect(await eventsOf(idleAccount)).toEqual(['account.created']);
  expect(await eventsOf(idleRoom)).toEqual(['room.created']);
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${subscription.id}` } });
  expect(events[0]).toMatchObject({ name: 'subscription.updated', data: { status: 'inactive', is_usable: false } });
  expect(events[0]?.previous).toEqual({
    status: 'active',
    is_active: true,
    is_usable: true,
    unusable_because: null,
    last_day_of_use: subscription.last_day_of_use,
  });
});

test('nothing below a terminated customer can be reactivated, but other changes are still possible', async () => {
  const { customer, subscription, account, room } = await makeRoom(api);
  await terminate(customer);
  const body = { status: 'active' } as const;
  const calls = [
    api.admin.updateAccount({ params: { account_id: account.id }, body }),
    api.admin.updateRoom({ params: { room_id: room.id }, body }),
    api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body }),
  ];
  const refusals = await Promise.all(calls.map(refusalOf));
  expect(refusals.map(({ status, code }) => `${status} ${code}`)).toEqual([
    '409 customer-not-active',
    '409 customer-not-active',
    '409 customer-not-active',
  ]);
  const renamed = await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: 'Closed' } });
  expect(renamed.data).toMatchObject({ room_name: 'Closed', status: 'inactive' });
});

test('nothing stays active below a terminated customer, even if it is created at the same time', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { customer, subscription, account, room } = await makeRoom(api, { room: { status: 'inactive' } });
    const newAccount = { account_name: 'Racing', subscription_id: subscription.id };
    const newRoom = { room_name: 'Racing', account_id: account.id };
    await Promise.allSettled([
      api.admin.createAccount({ body: newAccount }),
      api.admin.createRoom({ body: newRoom }),
      terminate(customer),
      api.admin.createAccount({ body: newAccount }),
      api.admin.updateRoom({ params: { room_id: room.id }, body: { status: 'active' } }),
      api.admin.createRoom({ body: newRoom }),
    ]);
    const { data } = await api.admin.readCustomer({
      params: { customer_id: customer.id },
      query: { include: 'accounts,rooms,subscriptions', filter: 'status,accounts,rooms,subscriptions' },
    });
    expect(data.status).toBe('terminated');
    expect(JSON.stringify(data)).not.toContain('"status":"active"');
  }
});

test('everything that is deleted with a customer has an event, its users stay, and its email is free again', async () => {
  const { customer, subscription, account, room, servicePackage } = await makeRoom(api);
  const neighbour = await makeRoom(api);
  await terminate(customer);
  await api.admin.deleteCustomer({ params: { customer_id: customer.id } });
  const last = await Promise.all(
    [customer, subscription, account, room].map(async (row) => (await eventsOf(row)).at(-1)),
  );
  expect(last).toEqual(['customer.deleted', 'subscription.deleted', 'account.deleted', 'room.deleted']);
  expect((await api.admin.listUsers({ query: { search: `email:${customer.email}` } })).data).toHaveLength(1);
  expect((await api.admin.readRoom({ params: { room_id: neighbour.room.id } })).data.status).toBe('active');
  await api.admin.deleteServicePackage({ params: { service_package_id: servicePackage.id } });
  const { first_name, last_name, email, country, currency } = customer;
  const second = { customer_type: 'personal', first_name, last_name, email, country, currency } as const;
  expect((await api.admin.createCustomer({ body: second })).data.email).toBe(email);
});
