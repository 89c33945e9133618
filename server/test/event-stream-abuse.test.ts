import { connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { publishAll } from '../src/modules/events/index.ts';
import { newUuid, printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ now: new Date().toISOString() });
});
afterAll(() => api.close());

const password = 'difference engine no. 2';

async function signedIn(): Promise<{ token: string; customerId: string }> {
  const customer = await makeCustomer(api);
  const body = { username: customer.email ?? '', password };
  return { token: (await api.anyone.loginUser({ body })).access_token, customerId: customer.id };
}

/** Opens a stream. @returns its response, and a function that reads until the text appears or the stream ends */
async function open(token: string, lastEventId?: string) {
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
    async until(part: string): Promise<string> {
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

test('an id of a foreign, an unknown or a future event reveals nothing, and the stream continues with own events', async () => {
  const { token, customerId } = await signedIn();
  const { room } = await makeRoom(api);
  await publishAll(api.app.dependencies);
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${room.id}` } });
  const foreign = data[0]?.id ?? '';
  const future = printIdentifier('evt', 'ffffffff-ffff-7fff-bfff-ffffffffffff');
  for (const [index, lastEventId] of [foreign, printIdentifier('evt', newUuid()), future].entries()) {
    const stream = await open(token, lastEventId);
    expect(stream.response.status).toBe(200);
    await rename(customerId, `Ada ${index}`);
    const text = await stream.until(`"first_name":"Ada ${index}"`);
    expect(text).toContain(`"first_name":"Ada ${index}"`);
    expect(text).not.toContain(room.id);
    stream.leave();
  }
});

test('a stream ends without a further event when its token is revoked', async () => {
  const { token, customerId } = await signedIn();
  const stream = await open(token);
  await rename(customerId, 'Before');
  await stream.until('"first_name":"Before"');
  await api.clientWith(token).logout();
  await rename(customerId, 'Afterwards');
  expect(await stream.until('"first_name":"Afterwards"')).not.toContain('Afterwards');
});

test('clients that never read their streams delay no one else, and one caller can have at most eight', async () => {
  const { token } = await signedIn();
  const { port } = new URL(api.url);
  const sockets = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1'));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(
    sockets.map(async (socket) => {
      const begun = new Promise((resolve) => socket.once('readable', resolve));
      socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: foyer\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      await begun;
    }),
  );
  const ninth = await open(token);
  expect(ninth.response.status).toBe(429);
  expect(await ninth.until('too-many-at-once')).toContain('too-many-at-once');
  const other = await signedIn();
  const stream = await open(other.token);
  await rename(other.customerId, 'Grace');
  expect(await stream.until('"first_name":"Grace"')).toContain('Grace');
});

test('a thousand reconnects leave no stream behind', async () => {
  const { token, customerId } = await signedIn();
  for (let round = 0; round < 250; round++) {
    const streams = await Promise.all(Array.from({ length: 4 }, () => open(token)));
    for (const { response } of streams) expect([200, 429]).toContain(response.status);
    for (const { leave } of streams) leave();
  }
  let last = await open(token);
  while (last.response.status === 429) last = await open(token);
  await rename(customerId, 'Still here');
  expect(await last.until('Still here')).toContain('Still here');
});
