import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, openSandbox, refusalOf, soldFeatures, unique } from './factories.ts';
import { callNameOf, failedXml, startRawServer, successXml, respondXml } from './providers/raw-server.ts';

let api: TestApi;
let sandbox: Sandbox;

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
});
afterAll(async () => {
  await sandbox.close();
  await api.close();
});

type ProviderBody = Partial<Parameters<TestApi['admin']['createServiceProvider']>[0]['body']>;

async function createTestProvider(type: 'scalelite' | 'bigbluebutton', overrides: ProviderBody = {}) {
  const { data } = await api.admin.createServiceProvider({
    body: {
      provider_name: unique('Provider'),
      provider_type: type,
      properties: { host_url: sandbox.apiUrl, secret: sandbox.secret },
      ...overrides,
    },
  });
  return data;
}

async function createTestRoom(provider: string, settings: Record<string, unknown> = {}) {
  const fixture = await makeRoom(api, { provider, features: soldFeatures, room: { room_settings: settings } });
  return { ...fixture, params: { room_id: fixture.room.id } };
}

const join = async ({ params }: { params: { room_id: string } }) =>
  (await api.admin.joinRoom({ params, body: { name: 'Anna', role: 'moderator' } })).data;

function changeSettings({ params }: { params: { room_id: string } }, settings: Record<string, unknown>) {
  return api.admin.updateRoom({ params, body: { room_settings: settings } });
}

test('texts that are too long for Scalelite are rejected on write, with an error for each text', async () => {
  const scalelite = await createTestProvider('scalelite');
  const longTexts = {
    welcome_message: 'w'.repeat(4000),
    moderator_only_message: 'm'.repeat(3000),
    banner_text: 'short',
  };
  const fixture = await createTestRoom(scalelite.id);
  for (const call of [changeSettings(fixture, longTexts), createTestRoom(scalelite.id, longTexts)]) {
    const refusal = await refusalOf(call);
    expect(refusal.status).toBe(422);
    expect(Object.keys(refusal.errors)).toEqual([
      'room_settings.moderator_only_message',
      'room_settings.welcome_message',
    ]);
    expect(refusal.errors['room_settings.welcome_message']).toEqual([
      expect.stringMatching(
        /^Together, the texts of the room are \d+ bytes too long for its meeting server; this text has 4000 bytes\.$/,
      ),
    ]);
  }
  const { data } = await api.admin.readRoom({ params: fixture.params });
  expect(data.room_settings).not.toHaveProperty('welcome_message');
});

test('the length of a text is counted in its URL encoding', async () => {
  const fixture = await createTestRoom((await createTestProvider('scalelite')).id);
  await changeSettings(fixture, { welcome_message: 'x'.repeat(1000) });
  const refusal = await refusalOf(changeSettings(fixture, { welcome_message: '€'.repeat(1000) }));
  expect(Object.keys(refusal.errors)).toEqual(['room_settings.welcome_message']);
});

test('the longest accepted texts open the meeting', async () => {
  const fixture = await createTestRoom((await createTestProvider('scalelite')).id);
  let [accepted, rejected] = [0, 6000];
  while (rejected - accepted > 8) {
    const length = Math.floor((accepted + rejected) / 2);
    const outcome = await changeSettings(fixture, { welcome_message: 'w'.repeat(length) }).catch(() => null);
    if (outcome) accepted = length;
    else rejected = length;
  }
  expect(accepted).toBeGreaterThan(2000);
  await changeSettings(fixture, { welcome_message: 'w'.repeat(accepted) });
  sandbox.control.clearCalls();
  await join(fixture);
  expect(sandbox.control.calls()).toContainEqual(expect.objectContaining({ call: 'create', method: 'GET' }));
});

test('a room whose stored texts are too long for a provider opens on another provider; without another provider, only joins of this room are rejected', async () => {
  const pool = unique('pool').toLowerCase();
  const server = await createTestProvider('bigbluebutton', { pool });
  const fixture = await createTestRoom(server.id, { welcome_message: 'w'.repeat(20_000) });
  const otherRoom = await makeRoom(api, { provider: server.id, features: soldFeatures });
  const scalelite = await createTestProvider('scalelite', { pool });
  const drain = (draining: boolean) =>
    api.admin.updateServiceProvider({ params: { service_provider_id: server.id }, body: { draining } });
  await drain(true);
  for (let attempt = 0; attempt < 6; attempt++)
    expect(await refusalOf(join(fixture))).toMatchObject({ status: 403, code: 'meeting-not-accepted' });
  const { data: meetings } = await api.admin.listRoomMeetings({ params: fixture.params });
  expect(meetings).toEqual([]);
  expect((await join({ params: { room_id: otherRoom.room.id } })).meeting_started).toBe(true);
  const { data: check } = await api.admin.checkRoomEntry({
    params: fixture.params,
    body: { role: 'moderator' },
  });
  expect(check.reasons).toMatchObject([
    {
      code: 'meeting-not-accepted',
      facts: [
        {
          message: expect.stringMatching(/^The texts of the room are \d+ bytes too long for the provider\.$/),
          subject: { name: scalelite.provider_name },
        },
      ],
    },
  ]);
  await changeSettings(fixture, { welcome_message: 'w'.repeat(15_000) });
  expect(await refusalOf(changeSettings(fixture, { welcome_message: 'w'.repeat(15_001) }))).toMatchObject({
    status: 422,
  });
  await drain(false);
  await api.admin.updateServiceProvider({ params: { service_provider_id: scalelite.id }, body: { weight: 1000 } });
  expect((await join(fixture)).meeting_started).toBe(true);
});

test("a meeting that the provider's web server rejects does not affect other rooms", async () => {
  const { url } = await startRawServer((response, request) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    if (callNameOf(request) === 'getMeetingInfo')
      return respondXml(failedXml('notFound', 'No such meeting'))(response, request);
    if (callNameOf(request) !== 'create')
      return respondXml(successXml('<running>false</running><meetings/>'))(response, request);
    if (query.get('name') === 'Rejected')
      return respondXml('<html>Request-URI Too Long</html>', 414)(response, request);
    const id = query.get('meetingID');
    respondXml(
      successXml(
        `<meetingID>${id}</meetingID><internalMeetingID>i-${id}</internalMeetingID><createTime>1772000000000</createTime>`,
      ),
    )(response, request);
  });
  const provider = await createTestProvider('scalelite', { properties: { host_url: url, secret: 'secret' } });
  const rejectedRoom = await makeRoom(api, {
    provider: provider.id,
    features: soldFeatures,
    room: { room_name: 'Rejected' },
  });
  for (let attempt = 0; attempt < 8; attempt++)
    expect(await refusalOf(join({ params: { room_id: rejectedRoom.room.id } }))).toMatchObject({
      status: 403,
      code: 'meeting-not-accepted',
    });
  const otherRoom = await createTestRoom(provider.id);
  expect(await join(otherRoom)).toMatchObject({ meeting_started: true });
  const { data } = await api.admin.readServiceProviderHealth({ params: { service_provider_id: provider.id } });
  expect(data.state).not.toBe('down');
});
