import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeClip, type MediaHarness, secret, startMediaProcess } from '../../media/test/harness.ts';
import { runJob } from '../src/modules.ts';
import { readCallbackAddress } from '../src/modules/meetings/index.ts';
import { mediaProvider, requireServiceProvider } from '../src/modules/service-providers/index.ts';
import { handleVideoEvent } from '../src/modules/videos/index.ts';
import { startApi, type TestApi } from './api.ts';
import { usageOf, makeVideoRoom, type VideoRoom } from './video-rooms.ts';

let api: TestApi;
let media: MediaHarness;
let receiver: { readonly url: string; close(): Promise<void> };
beforeAll(async () => {
  [api, media] = await Promise.all([startApi({ now: new Date().toISOString() }), startMediaProcess()]);
  receiver = await startReceiver();
  await api.admin.updateSettings({ body: { public_url: receiver.url } });
});
afterAll(async () => {
  await media.close();
  await receiver.close();
  await api.close();
});

/** Receives the signed calls of the media server. */
async function startReceiver() {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const address = request.url?.split('/').at(-1) ?? '';
      const id = readCallbackAddress(api.app.dependencies, 'media-events', address);
      if (id === null) return void response.writeHead(404).end();
      const provider = await requireServiceProvider(api.app.dependencies.db, id);
      const event = (await mediaProvider(api.app.dependencies, provider)).readCall({
        method: request.method ?? '',
        path: request.url ?? '',
        timestamp: String(request.headers['x-foyer-timestamp']),
        signature: String(request.headers['x-foyer-signature']),
        body: Buffer.concat(chunks),
        nowMs: Date.now(),
      });
      if (event?.type !== 'video.uploaded' && event?.type !== 'video.changed')
        return void response.writeHead(401).end();
      const answer = await handleVideoEvent(api.app.dependencies, provider, event);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function makeRoom(): Promise<VideoRoom> {
  return await makeVideoRoom(api, { url: media.url(), secret });
}

const tus = { 'tus-resumable': '1.0.0' };

/** Uploads the rest of the file from the offset of the media server. */
async function resume(url: string, file: Buffer, to = file.length): Promise<void> {
  const head = await fetch(url, { method: 'HEAD', headers: tus });
  const offset = Number(head.headers.get('upload-offset'));
  const headers = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) };
  const answer = await fetch(url, { method: 'PATCH', headers, body: new Uint8Array(file.subarray(offset, to)) });
  expect(answer.status).toBe(204);
}

async function read(id: string) {
  return (await api.admin.readVideo({ params: { video_id: id } })).data;
}

async function waitUntilFinished(id: string) {
  return await expect
    .poll(async () => (await read(id)).state, { timeout: 50_000, interval: 200 })
    .toMatch(/^(?:ready|failed)$/);
}

test('a video is uploaded in parts, also across a restart of the media server, processed, captioned and deleted', async () => {
  const { params, subscription, provider } = await makeRoom();
  const file = await makeClip(media.directory);
  const { data: video } = await api.admin.createVideo({
    params,
    body: { name: 'Clip', size_bytes: file.length, content_type: 'video/mp4' },
  });
  const path = new URL(video.upload?.url ?? '').pathname;
  await resume(`${media.url()}${path}`, file, Math.floor(file.length / 2));
  await media.restart();
  await api.admin.updateServiceProvider({
    params: { service_provider_id: provider },
    body: { properties: { host_url: media.url(), secret } },
  });
  await resume(`${media.url()}${path}`, file);
  await waitUntilFinished(video.id);
  const ready = await read(video.id);
  expect(ready).toMatchObject({
    state: 'ready',
    progress: 100,
    failure: null,
    width: 320,
    height: 180,
    renditions: [{ height: 180 }],
  });
  expect(ready.duration_seconds).toBeCloseTo(3, 0);
  expect(await usageOf(api, subscription.id, 'transcoding_minutes')).toBe(1);
  expect(await usageOf(api, subscription.id, 'max_storage')).toBe(1);
  const poster = await fetch(ready.poster_url ?? '');
  expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  const subtitles = new Blob(['1\n00:00:00,000 --> 00:00:01,000\nHello\n'], { type: 'application/x-subrip' });
  const captioned = await api.admin.setVideoCaptions({
    params: { video_id: video.id, language: 'en' },
    body: subtitles,
  });
  expect(captioned.data.captions).toEqual([{ language: 'en', label: 'English' }]);
  const newPoster = await api.admin.setVideoPoster({
    params: { video_id: video.id },
    body: new Blob([new Uint8Array(await poster.arrayBuffer())], { type: 'image/jpeg' }),
  });
  expect(newPoster.data.poster_url).not.toBe(ready.poster_url);
  expect((await fetch(newPoster.data.poster_url ?? '')).status).toBe(200);
  await api.admin.deleteVideo({ params: { video_id: video.id } });
  expect((await media.call('GET', `/v1/videos?ids=${video.uuid}`)).json).toEqual({ videos: [] });
  expect((await fetch(newPoster.data.poster_url ?? '')).status).toBe(404);
});

test('a file that is not a video fails with the reason, and uses no transcoding minutes', async () => {
  const { params, subscription } = await makeRoom();
  const file = Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n');
  const { data: video } = await api.admin.createVideo({ params, body: { name: 'List', size_bytes: file.length } });
  await resume(video.upload?.url ?? '', file);
  await waitUntilFinished(video.id);
  expect(await read(video.id)).toMatchObject({
    state: 'failed',
    failure: { code: expect.any(String) },
    renditions: [],
  });
  expect(await usageOf(api, subscription.id, 'transcoding_minutes')).toBe(0);
});

test('a video without transcoding minutes left fails, and can be processed again when minutes are available', async () => {
  const { params, subscription } = await makeRoom();
  const { data: features } = await api.admin.listSubscriptionFeatures({
    params: { subscription_id: subscription.id },
    query: { limit: 0 },
  });
  const feature = {
    subscription_id: subscription.id,
    feature_id: features.find(({ tag }) => tag === 'transcoding_minutes')?.id ?? '',
  };
  await api.admin.updateSubscriptionFeature({ params: feature, body: { value: '0' } });
  const file = await makeClip(media.directory, { seconds: 1, size: '160x90' });
  const { data: video } = await api.admin.createVideo({ params, body: { name: 'Later', size_bytes: file.length } });
  await resume(video.upload?.url ?? '', file);
  await waitUntilFinished(video.id);
  expect((await read(video.id)).failure?.code).toBe('transcoding-minutes-used-up');
  await api.admin.updateSubscriptionFeature({ params: feature, body: { value: '5' } });
  await api.admin.retryVideo({ params: { video_id: video.id } });
  await expect.poll(async () => (await read(video.id)).state, { timeout: 50_000, interval: 200 }).toBe('ready');
  expect(await usageOf(api, subscription.id, 'transcoding_minutes')).toBe(1);
  expect(await runJob(api.app.dependencies, 'reconcile-usage')).toBe(0);
});
