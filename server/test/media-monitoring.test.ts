import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { examine } from '../src/doctor.ts';
import { startApi, type TestApi } from './api.ts';
import { goLive, makeBroadcastRoom, report } from './broadcast-rooms.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';
import { makeMediaProvider } from './media-provider.ts';
import { makeVideo, makeVideoRoom, sendVideoState } from './video-rooms.ts';

let api: TestApi;
let media: FakeMediaServer;

beforeAll(async () => {
  api = await startApi();
  media = await startFakeMediaServer(() => api.clock.nowMs());
});
afterAll(async () => {
  await media.close();
  await api.close();
});

async function metrics(): Promise<string[]> {
  const otherProcess = await api.another();
  const text = await (await fetch(`${otherProcess.url}/metrics`)).text();
  await otherProcess.close();
  return text.split('\n').filter((line) => /^foyer_(?:provider_videos|stream)/.test(line));
}

async function findings(...subjects: string[]): Promise<string[]> {
  const allFindings = await examine(api.app, readConfig({}));
  return allFindings.filter(({ subject }) => subjects.includes(subject)).map(({ state, text }) => `${state}: ${text}`);
}

test('metrics and doctor count the videos that wait on a media server, and doctor warns of videos without progress', async () => {
  const { params, provider } = await makeVideoRoom(api, media);
  const { data: server } = await api.admin.readServiceProvider({ params: { service_provider_id: provider } });
  const [first] = [
    await makeVideo(api, { params }),
    await makeVideo(api, { params }),
    await makeVideo(api, { params }),
  ];
  await sendVideoState(api, provider, media.changeVideo(first.uuid, { state: 'queued' }));
  expect(await metrics()).toEqual(
    expect.arrayContaining([
      `foyer_provider_videos_waiting{provider="${provider}",wait="processing"} 1`,
      `foyer_provider_videos_waiting{provider="${provider}",wait="upload"} 2`,
    ]),
  );
  const name = server.provider_name;
  expect(await findings('videos')).toEqual([`ok: ${name}: 1 being processed`, `ok: ${name}: 2 waiting for upload`]);
  api.clock.advance({ hours: 2 });
  expect(await findings('videos')).toEqual([
    `warning: ${name}: 1 being processed, one without progress for 2 h`,
    `ok: ${name}: 2 waiting for upload`,
  ]);
});

test('metrics and doctor count running broadcasts, their viewers and their failed outputs', async () => {
  const fixture = await makeBroadcastRoom(api, { media, type: 'simulcast' });
  const { params } = fixture;
  const makeOutput = async (name: string) => {
    const target = { platform: 'custom', url: 'rtmp://target.example/live', stream_key: 'k' } as const;
    return (await api.admin.createOutput({ params, body: { name, ...target } })).data;
  };
  const [working, failed] = [await makeOutput('Good'), await makeOutput('Bad')];
  expect(await findings('streams')).toEqual([]);
  await goLive(api, media, fixture, { viewers: 7 });
  const figures = { since_ms: api.clock.nowMs(), kbps: 900, bytes_sent: 1, last_error: null };
  await report(
    api,
    fixture,
    media.changeStream(fixture.room.uuid, {
      outputs: [
        { id: working.uuid, state: 'live', ...figures },
        { id: failed.uuid, state: 'failed', ...figures, kbps: 0, last_error: 'refused' },
      ],
    }),
  );
  expect(await metrics()).toEqual(
    expect.arrayContaining([
      'foyer_streams{state="live"} 1',
      'foyer_streams{state="reconnecting"} 0',
      'foyer_stream_viewers 7',
      'foyer_stream_outputs{state="live"} 1',
      'foyer_stream_outputs{state="failed"} 1',
    ]),
  );
  expect(await findings('streams')).toEqual([
    'ok: 1 live, 0 waiting for an encoder, 7 viewers',
    'warning: 1 output of live rooms without a picture',
  ]);
});

test('the check of the provider and doctor report storage that accepts no files, and the media server stays in use', async () => {
  const { id, provider_name: name } = await makeMediaProvider(api, media, 'live');
  const problem = 'The storage of the media server does not accept files.';
  media.facts = { storage_problem: problem };
  const { data } = await api.admin.checkServiceProvider({ params: { service_provider_id: id } });
  expect(data).toMatchObject({ reachable: true, secret_accepted: true, problem });
  const { data: health } = await api.admin.readServiceProviderHealth({ params: { service_provider_id: id } });
  expect(health).toMatchObject({ state: 'healthy' });
  expect(await findings('providers')).toContain(`warning: ${name}: ${problem}`);
  media.facts = {};
});
