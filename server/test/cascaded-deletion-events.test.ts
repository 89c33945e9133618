import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, unique } from './factories.ts';

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
  return data.flatMap(({ name, resource_id: id, data: { id: printed } }) =>
    name.endsWith('.deleted') && printed === id ? [`${name} ${id}`] : [],
  );
}

test('what is deleted with a room has events of its own', async () => {
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

test('what is deleted with a customer has events of its own', async () => {
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
