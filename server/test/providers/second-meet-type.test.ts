import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runJob } from '../../src/modules.ts';
import { providerTypes } from '../../src/providers/provider-types.ts';
import { startApi, type TestApi } from '../api.ts';
import { makeRoom, refusalOf, unique } from '../factories.ts';
import { sign, signedLink } from './signed-link/index.ts';

const key = 'a key of the service';
const base = 'https://talk.example/rooms/';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ providerTypes: [...providerTypes, signedLink] });
});
afterAll(() => api.close());

function create(properties: Record<string, unknown>, node = api) {
  return node.admin.createServiceProvider({
    body: { provider_name: unique('Talk'), provider_type: 'signed-link', properties },
  });
}

async function createTestRoom() {
  const { data: provider } = await create({ base_url: base, key });
  const { room } = await makeRoom(api, { provider: provider.id });
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'moderator' } });
  const join = async (name: string) => (await api.anyone.joinRoom({ params, body: { token: token.token, name } })).data;
  return { provider, room, params, token, join };
}

/** Whether the service would accept the link. */
function isAccepted(address: string): boolean {
  const url = new URL(address);
  const signature = url.searchParams.get('signature');
  url.searchParams.delete('signature');
  return signature === sign(key, url);
}

test('a provider of another type is created with the properties of its type, and its secret is masked', async () => {
  const { data } = await create({ base_url: base, key });
  expect(data).toMatchObject({
    provider_type: 'signed-link',
    service_type: 'meet',
    properties: { base_url: base, key: secretMask },
    capabilities: { hooks: false, send_chat_message: false, recording_sizes: false },
  });
  const row = await api.app.dependencies.db
    .selectFrom('service_providers')
    .select(['server_key', 'properties'])
    .where('id', '=', data.uuid)
    .executeTakeFirstOrThrow();
  expect(row.server_key).toBe('talk.example');
  expect(JSON.stringify(row.properties)).not.toContain(key);
});

test('the properties of a provider are validated by its type', async () => {
  const refusal = await refusalOf(create({ base_url: 'http://talk.example' }));
  expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([
    422,
    ['properties.base_url', 'properties.key'],
  ]);
});

test('an installation without the type rejects it and names the types that it has', async () => {
  const otherInstallation = await startApi();
  try {
    const refusal = await refusalOf(create({ base_url: base, key }, otherInstallation));
    expect([refusal.status, refusal.errors['provider_type']]).toEqual([
      422,
      ['The selected provider type is invalid. It must be one of: bigbluebutton, scalelite, foyer-media, bbb.'],
    ]);
  } finally {
    await otherInstallation.close();
  }
});

test('a meeting opens on the provider, and each participant joins with a signed link', async () => {
  const { room, join } = await createTestRoom();
  const first = await join('Ada');
  const second = await join('Grace');
  expect([first.meeting_started, second.meeting_started]).toEqual([true, false]);
  for (const { url } of [first, second]) expect(isAccepted(url)).toBe(true);
  const url = new URL(first.url);
  expect(`${url.origin}${url.pathname}`).toBe(`${base}join/${room.uuid}`);
  expect(url.searchParams.get('name')).toBe('Ada');
  expect(url.searchParams.get('role')).toBe('moderator');
  expect(new URL(second.url).searchParams.get('user')).not.toBe(url.searchParams.get('user'));
});

test('changed credentials sign the next link', async () => {
  const { provider, join } = await createTestRoom();
  await join('Ada');
  await api.admin.updateServiceProvider({
    params: { service_provider_id: provider.id },
    body: { properties: { key: 'another key' } },
  });
  const url = new URL((await join('Grace')).url);
  const signature = url.searchParams.get('signature');
  url.searchParams.delete('signature');
  expect(signature).toBe(sign('another key', url));
});

test('the content security policy of the room page allows the join form to redirect to the service', async () => {
  const { room, token } = await createTestRoom();
  const answer = await fetch(`${room.url}?token=${token.token}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-security-policy')).toContain("form-action 'self' https://talk.example;");
});

test('jobs that poll meetings, recordings and health work without an API of the provider', async () => {
  const { provider, params, join } = await createTestRoom();
  await join('Ada');
  for (const job of ['sync-meetings', 'sync-recordings', 'check-providers']) await runJob(api.app.jobDependencies, job);
  const { data: health } = await api.admin.readServiceProviderHealth({
    params: { service_provider_id: provider.id },
  });
  expect(health).toMatchObject({ state: 'healthy' });
  const { data: meetings } = await api.admin.listMeetings({
    query: { search: `state:open;room_id:${params.room_id}`, searchJoin: 'and' },
  });
  expect(meetings).toHaveLength(1);
  const { data: check } = await api.admin.checkServiceProvider({ params: { service_provider_id: provider.id } });
  expect(check).toMatchObject({ reachable: true, secret_accepted: true, api_version: null });
});
