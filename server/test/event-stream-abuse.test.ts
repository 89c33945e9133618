import { connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { publishAll } from '../src/modules/events/index.ts';
import { newUuid, printIdentifier } from '../src/platform/identity/identifier.ts';
import { adminPassword, makeAdmin, makeRole, permissionIds } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, unique } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ now: new Date().toISOString() });
});
afterAll(() => api.close());

const password = 'difference engine no. 2';

async function signInNewUser(): Promise<{ token: string; customerId: string }> {
  const customer = await makeCustomer(api);
  const body = { username: customer.email ?? '', password };
  return { token: (await api.anyone.loginUser({ body })).access_token, customerId: customer.id };
}

/** Opens a stream. @returns its response, and a function that reads until the text appears or the stream ends */
async function openStream(token: string, lastEventId?: string) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const response = await fetch(`${api.url}/api/v1/events/stream`, {
    headers: { authorization: `Bearer ${token}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
    signal: leave.signal,
  });
  const reader = response.body?.getReader();
  let text = '';
  return {
    response,
    leave: () => leave.abort(),
    async readUntil(part: string): Promise<string> {
      while (!text.includes(part)) {
        const chunk = await reader?.read();
        if (!chunk || chunk.done) break;
        text += Buffer.from(chunk.value).toString();
      }
      return text;
    },
  };
}

async function rename(customerId: string, name: string): Promise<void> {
  await api.admin.updateCustomer({ params: { customer_id: customerId }, body: { first_name: name } });
  await publishAll(api.app.dependencies);
}

test('a stream after the id of an event of another customer, or after an unknown or future id, reveals nothing and continues', async () => {
  const { token, customerId } = await signInNewUser();
  const { room } = await makeRoom(api);
  await publishAll(api.app.dependencies);
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${room.id}` } });
  const invisibleEventId = data[0]?.id ?? '';
  const future = printIdentifier('evt', 'ffffffff-ffff-7fff-bfff-ffffffffffff');
  for (const [index, lastEventId] of [invisibleEventId, printIdentifier('evt', newUuid()), future].entries()) {
    const stream = await openStream(token, lastEventId);
    expect(stream.response.status).toBe(200);
    await rename(customerId, `Ada ${index}`);
    const text = await stream.readUntil(`"first_name":"Ada ${index}"`);
    expect(text).toContain(`"first_name":"Ada ${index}"`);
    expect(text).not.toContain(room.id);
    stream.leave();
  }
});

test('a stream ends without a further event when its token is revoked', async () => {
  const { token, customerId } = await signInNewUser();
  const stream = await openStream(token);
  await rename(customerId, 'Before');
  await stream.readUntil('"first_name":"Before"');
  await api.clientWith(token).logout();
  await rename(customerId, 'Afterwards');
  expect(await stream.readUntil('"first_name":"Afterwards"')).not.toContain('Afterwards');
});

test('a stream sends no further events of a terminated customer, a removed membership or a removed right, and continues with all other events', async () => {
  const [withoutMembership, terminated, withoutRight] = [await makeRoom(api), await makeRoom(api), await makeRoom(api)];
  const body = { email: `${unique('member')}@example.com`, first_name: 'Grace', last_name: 'Hopper', password };
  const { data: user } = await api.admin.createUser({ body });
  for (const { customer } of [withoutMembership, terminated, withoutRight])
    await api.admin.createCustomerUser({
      params: { customer_id: customer.id },
      body: { user_id: user.id, permissions: ['read-customer', 'read-room'] },
    });
  const credentials = { username: body.email, password };
  const stream = await openStream((await api.anyone.loginUser({ body: credentials })).access_token);
  const renameRoom = async ({ room }: typeof withoutMembership, name: string) => {
    await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: name } });
    await publishAll(api.app.dependencies);
  };
  const names = ['Left', 'Ended', 'Kept'];
  for (const [index, one] of [withoutMembership, terminated, withoutRight].entries()) {
    await rename(one.customer.id, `${names[index]} customer`);
    await renameRoom(one, `${names[index]} room`);
  }
  const before = await stream.readUntil('"room_name":"Kept room"');
  for (const name of names) for (const kind of ['customer', 'room']) expect(before).toContain(`${name} ${kind}`);
  await api.admin.deleteCustomerUser({ params: { customer_id: withoutMembership.customer.id, user_id: user.id } });
  await api.admin.updateCustomer({ params: { customer_id: terminated.customer.id }, body: { status: 'terminated' } });
  const params = { customer_id: withoutRight.customer.id, user_id: user.id };
  await api.admin.updateCustomerUser({ params, body: { permissions: ['read-customer'] } });
  for (const { customer } of [withoutMembership, terminated]) await rename(customer.id, 'Hidden customer');
  for (const one of [withoutMembership, terminated, withoutRight]) await renameRoom(one, 'Hidden room');
  await rename(withoutRight.customer.id, 'Shown');
  const text = await stream.readUntil('"first_name":"Shown"');
  expect(text).toContain('"first_name":"Shown"');
  expect(text).not.toContain('Hidden');
});

test('a stream sends no event about the termination and deletion of the last customer of a user, and continues with the next customer', async () => {
  const [deleted, next] = [await makeCustomer(api), await makeCustomer(api)];
  const body = { email: `${unique('member')}@example.com`, first_name: 'Grace', last_name: 'Hopper', password };
  const { data: user } = await api.admin.createUser({ body });
  const join = ({ id }: typeof next) =>
    api.admin.createCustomerUser({
      params: { customer_id: id },
      body: { user_id: user.id, permissions: ['read-customer'] },
    });
  await join(deleted);
  const credentials = { username: body.email, password };
  const { access_token: token } = await api.anyone.loginUser({ body: credentials });
  const stream = await openStream(token);
  await rename(deleted.id, 'Before');
  expect(await stream.readUntil('"first_name":"Before"')).toContain('Before');
  const params = { customer_id: deleted.id };
  await api.admin.updateCustomer({ params, body: { status: 'terminated', first_name: 'Hidden' } });
  await api.admin.deleteCustomer({ params });
  await publishAll(api.app.dependencies);
  expect((await api.clientWith(token).listEvents()).data).toEqual([]);
  await join(next);
  await rename(next.id, 'Shown');
  const text = await stream.readUntil('"first_name":"Shown"');
  expect(text).toContain('"first_name":"Shown"');
  for (const hidden of ['Hidden', 'terminated', 'customer.deleted']) expect(text).not.toContain(hidden);
});

test('a stream ends without a further event when the role of the administrator loses the permission', async () => {
  const role = await makeRole(api, ['read-events']);
  const { username } = await makeAdmin(api, { roles_ids: [role.id] });
  const { id } = await makeCustomer(api);
  const credentials = { username, password: adminPassword };
  const stream = await openStream((await api.anyone.loginAdmin({ body: credentials })).access_token);
  await rename(id, 'Before');
  expect(await stream.readUntil('"first_name":"Before"')).toContain('Before');
  const permissions_ids = await permissionIds(api, ['read-events']);
  await api.admin.detachPermissions({ body: { role_id: role.id, permissions_ids } });
  await rename(id, 'Afterwards');
  expect(await stream.readUntil('"first_name":"Afterwards"')).not.toContain('Afterwards');
});

test('clients that never read their streams delay no other client, and a caller can have at most eight streams', async () => {
  const { token } = await signInNewUser();
  const { port } = new URL(api.url);
  const sockets = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1'));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(
    sockets.map(async (socket) => {
      const started = new Promise((resolve) => socket.once('readable', resolve));
      socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: foyer\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      await started;
    }),
  );
  const ninth = await openStream(token);
  expect(ninth.response.status).toBe(429);
  expect(await ninth.readUntil('too-many-at-once')).toContain('too-many-at-once');
  const other = await signInNewUser();
  const stream = await openStream(other.token);
  await rename(other.customerId, 'Grace');
  expect(await stream.readUntil('"first_name":"Grace"')).toContain('Grace');
});

test('a thousand reconnects leave no stream open', async () => {
  const { token, customerId } = await signInNewUser();
  for (let round = 0; round < 250; round++) {
    const streams = await Promise.all(Array.from({ length: 4 }, () => openStream(token)));
    for (const { response } of streams) expect([200, 429]).toContain(response.status);
    for (const { leave } of streams) leave();
  }
  let lastStream = await openStream(token);
  while (lastStream.response.status === 429) lastStream = await openStream(token);
  await rename(customerId, 'Still here');
  expect(await lastStream.readUntil('Still here')).toContain('Still here');
});
