import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { examine } from '../src/doctor.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, refusalOf, soldFeatures, unique } from './factories.ts';
import { startTestSandbox, createRecordedRooms } from './recorded-rooms.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api, { scalelite: {} });
});
afterAll(async () => {
  await sandbox.close();
  await api.close();
});

async function createTestScalelite(properties: Record<string, string | number> = {}) {
  const { data } = await api.admin.createServiceProvider({
    body: {
      provider_name: unique('Balancer'),
      provider_type: 'scalelite',
      properties: { host_url: sandbox.apiUrl, secret: sandbox.secret, ...properties },
    },
  });
  return { ...data, params: { service_provider_id: data.id } };
}

type Provider = Awaited<ReturnType<typeof createTestScalelite>>;

const healthOf = async ({ params }: Provider) => (await api.admin.readServiceProviderHealth({ params })).data;

async function poll(): Promise<void> {
  api.clock.advance({ minutes: 1 });
  await runJob(api.app.dependencies, 'check-providers');
}

test('Scalelite without an online server is down and takes no meetings, if its admin API can be queried', async () => {
  const provider = await createTestScalelite({ admin_secret: sandbox.secret });
  expect(provider.properties).toMatchObject({ admin_secret: '********' });
  await poll();
  expect(await healthOf(provider)).toMatchObject({ state: 'healthy', capacity: { takes_meetings: true } });
  const problem = 'The only server behind Scalelite is not enabled and online. Check with `./bin/rake status`.';
  for (const [state, isOnline] of [
    ['cordoned', true],
    ['enabled', false],
  ] as const) {
    sandbox.control.setServer(state, isOnline);
    await poll();
    expect(await healthOf(provider)).toMatchObject({ state: 'down', problem, capacity: { takes_meetings: false } });
    const { data: check } = await api.admin.checkServiceProvider({ params: provider.params });
    expect(check).toMatchObject({ reachable: true, secret_accepted: true, problem });
  }
  sandbox.control.setServer('enabled', true);
  await poll();
  expect(await healthOf(provider)).toMatchObject({
    state: 'degraded',
    problem: null,
    capacity: { takes_meetings: true },
  });
});

test('a wrong admin secret does not affect the health', async () => {
  const provider = await createTestScalelite({ admin_secret: 'wrong' });
  await poll();
  expect(await healthOf(provider)).toMatchObject({ state: 'healthy', problem: null });
});

test('without the admin API, Scalelite is no longer healthy once it has no server for a meeting', async () => {
  const provider = await createTestScalelite();
  const { room } = await makeRoom(api, { provider: provider.id, features: soldFeatures });
  await poll();
  expect(await healthOf(provider)).toMatchObject({ state: 'healthy' });
  sandbox.control.setServer('enabled', false);
  const refusal = await refusalOf(
    api.admin.joinRoom({ params: { room_id: room.id }, body: { name: 'Anna', role: 'moderator' } }),
  );
  expect(refusal).toMatchObject({ status: 503, code: 'provider-unavailable' });
  expect(await healthOf(provider)).toMatchObject({
    state: 'down',
    problem: 'Scalelite has no meeting server that is enabled and online. Check them with `./bin/rake status`.',
  });
  sandbox.control.setServer('enabled', true);
  await poll();
  expect(await healthOf(provider)).toMatchObject({ state: 'degraded' });
});

test('a recording without a reported size does not count towards max_storage, and doctor reports it', async () => {
  const rooms = await createRecordedRooms(api, sandbox, 'scalelite');
  const room = await rooms.createTestRoom({ features: { max_storage: '1' } });
  sandbox.control.plantRecording({ meetingID: room.uuid });
  await rooms.syncNow(room);
  const { data } = await api.admin.listRoomRecordings({ params: room.params });
  expect(data).toMatchObject([{ state: 'published', size_bytes: null, size_estimated: false }]);
  expect(await rooms.usageOf(room, 'max_storage')).toBe(0);
  const { data: provider } = await api.admin.readServiceProvider({ params: { service_provider_id: rooms.provider } });
  expect(provider.capabilities).toMatchObject({ recording_sizes: false });
  const findings = await examine(api.app, readConfig({}));
  expect(findings).toContainEqual({
    subject: 'recordings',
    state: 'warning',
    text: `${provider.provider_name}: 1 recordings have no size, so max_storage does not count them: set the provider's property recording_kbps`,
  });
});

test('recording_kbps estimates the size from the length, so that max_storage applies', async () => {
  const rooms = await createRecordedRooms(api, sandbox, 'scalelite');
  const params = { service_provider_id: rooms.provider };
  for (const wrong of ['0', '-1', '1.5', 'fast', 100_001])
    expect(
      (await refusalOf(api.admin.updateServiceProvider({ params, body: { properties: { recording_kbps: wrong } } })))
        .errors,
    ).toEqual({
      'properties.recording_kbps': ['The recording_kbps property must be a whole number from 1 to 100000.'],
    });
  await api.admin.updateServiceProvider({ params, body: { properties: { recording_kbps: 2000 } } });
  const room = await rooms.createTestRoom({ features: { max_storage: '1' } });
  sandbox.control.plantRecording({ meetingID: room.uuid, recordedMs: 60 * 60_000 });
  await rooms.syncNow(room);
  const { data } = await api.admin.listRoomRecordings({ params: room.params });
  expect(data).toMatchObject([{ size_bytes: (3600 * 2_000_000) / 8, size_estimated: true }]);
  expect(await rooms.usageOf(room, 'max_storage')).toBe(1);
  sandbox.control.plantRecording({ meetingID: room.uuid, recordedMs: 60 * 60_000, startTime: 1_600_000_000_000 });
  await rooms.syncNow(room);
  const { data: checked } = await api.admin.checkRoomEntry({ params: room.params, body: { role: 'moderator' } });
  expect(checked.would_use).toMatchObject({ may_be_recorded: false, not_recorded_by: 'max_storage' });
});
