import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, refusalOf, unique } from './factories.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';
import { makeMediaProvider } from './media-provider.ts';
import { makeVideo, makeVideoRoom, reportUpload, sendVideoState, usageOf } from './video-rooms.ts';

let api: TestApi;
let media: FakeMediaServer;
beforeAll(async () => {
  [api, media] = await Promise.all([startApi(), startFakeMediaServer()]);
});
afterEach(() => {
  media.fail = null;
});
afterAll(async () => {
  await api.close();
  await media.close();
});

async function read(id: string) {
  return (await api.admin.readVideo({ params: { video_id: id } })).data;
}

async function sync(): Promise<number> {
  return await runJob(api.app.dependencies, 'sync-videos');
}

const ready = {
  state: 'ready',
  progress: 100,
  duration_seconds: 61.5,
  width: 1280,
  height: 720,
  stored_bytes: 3000,
  playable: true,
  renditions: [
    { height: 480, bitrate: 1_400_000, codec: 'avc1.64001f' },
    { height: 720, bitrate: 2_800_000, codec: 'avc1.64001f' },
  ],
};

async function eventsOf(id: string) {
  const { data } = await api.admin.listEvents({
    query: { search: `resource_id:${id}`, limit: 100, orderBy: 'sequence', sortedBy: 'asc' },
  });
  return data.map(({ name }) => name);
}

describe('creation', () => {
  test('the answer has an address for a resumable upload, which no other answer has', async () => {
    const room = await makeVideoRoom(api, media);
    const { data } = await api.admin.createVideo({
      params: room.params,
      body: { name: 'Lesson 1', size_bytes: 5000, content_type: 'video/mp4', description: 'First', sort_order: 3 },
    });
    expect(data).toMatchObject({
      object: 'Video',
      room_id: room.room.id,
      name: 'Lesson 1',
      description: 'First',
      state: 'awaiting-upload',
      progress: 0,
      failure: null,
      size_bytes: 5000,
      stored_bytes: null,
      renditions: [],
      poster_url: null,
      captions: [],
      published: true,
      sort_order: 3,
      upload: { protocol: 'tus', url: `${media.url}/uploads/${data.uuid}`, expires_at: '2026-03-11T12:00:00.000000Z' },
    });
    expect(await read(data.id)).toEqual({ ...data, upload: null });
    expect(media.videos.get(data.uuid)).toMatchObject({ room_id: room.room.uuid, size_bytes: 5000 });
    expect(
      JSON.stringify((await api.admin.listEvents({ query: { search: `resource_id:${data.id}` } })).data),
    ).not.toContain('/uploads/');
  });

  test('a video counts against max_videos and max_storage, and its deletion releases both and deletes the files', async () => {
    const { subscription, params } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params }, { size_bytes: 1_500_000_000 });
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(1);
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(2);
    await api.admin.deleteVideo({ params: { video_id: video.id } });
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(0);
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(0);
    expect(media.videos.has(video.uuid)).toBe(false);
    expect((await refusalOf(read(video.id))).status).toBe(404);
  });

  test('a video of a room of another type is rejected', async () => {
    const { room } = await makeRoom(api);
    expect(await refusalOf(makeVideo(api, { params: { room_id: room.id } }))).toMatchObject({
      status: 409,
      code: 'not-a-video-room',
    });
  });

  test('in an unusable room, account or subscription, or above a limit, a video is rejected without a request to the media server', async () => {
    const { room, account, subscription, params } = await makeVideoRoom(api, media, {
      features: { max_upload_size: '2', max_storage: '5' },
    });
    media.requests.length = 0;
    const readRejection = async (body: Record<string, unknown> = {}) => {
      const { status, code, errors } = await refusalOf(makeVideo(api, { params }, body));
      return [status, code, ...Object.keys(errors).filter((name) => name !== 'allowed_moves')];
    };
    expect(await readRejection({ size_bytes: 2_000_000_001 })).toEqual([
      422,
      'feature-limit-reached',
      'max_upload_size',
    ]);
    expect(await readRejection({ size_bytes: 0 })).toEqual([422, 'validation-failed', 'size_bytes']);
    expect(await readRejection({ content_type: 'application/x-mpegurl' })).toEqual([
      422,
      'validation-failed',
      'content_type',
    ]);
    await api.admin.updateRoom({ params: { room_id: room.id }, body: { status: 'inactive' } });
    expect(await readRejection()).toEqual([403, 'room-inactive']);
    await api.admin.updateRoom({ params: { room_id: room.id }, body: { status: 'active' } });
    await api.admin.updateAccount({ params: { account_id: account.id }, body: { status: 'inactive' } });
    expect(await readRejection()).toEqual([409, 'account-not-active']);
    await api.admin.updateAccount({ params: { account_id: account.id }, body: { status: 'active' } });
    await api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status: 'suspended' } });
    expect(await readRejection()).toEqual([409, 'subscription-not-usable']);
    expect(media.requests).toEqual([]);
  });

  test('limits of the room below those of its subscription apply', async () => {
    const { params } = await makeVideoRoom(api, media, { room: { room_features: { max_videos: 1, max_storage: 1 } } });
    expect(await refusalOf(makeVideo(api, { params }, { size_bytes: 1_000_000_001 }))).toMatchObject({
      code: 'feature-limit-reached',
      errors: { max_storage: [expect.any(String)] },
    });
    await makeVideo(api, { params });
    expect(await refusalOf(makeVideo(api, { params }))).toMatchObject({
      code: 'feature-limit-reached',
      errors: { max_videos: [expect.any(String)] },
    });
  });

  test('a subscription without max_videos allows no videos', async () => {
    const { params, subscription } = await makeVideoRoom(api, media);
    const { data: features } = await api.admin.listSubscriptionFeatures({
      params: { subscription_id: subscription.id },
    });
    const feature = features.find(({ tag }) => tag === 'max_videos');
    await api.admin.deleteSubscriptionFeature({
      params: { subscription_id: subscription.id, feature_id: feature?.id ?? '' },
    });
    expect(await refusalOf(makeVideo(api, { params }))).toMatchObject({ status: 422, code: 'feature-limit-reached' });
  });

  test('of concurrent requests, exactly as many succeed as max_videos allows', async () => {
    const { params, subscription } = await makeVideoRoom(api, media, { features: { max_videos: '3' } });
    const before = media.videos.size;
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => makeVideo(api, { params })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(3);
    expect(media.videos.size - before).toBe(3);
  });

  test('of concurrent requests, exactly as many succeed as fit into max_storage', async () => {
    const { params, subscription } = await makeVideoRoom(api, media, { features: { max_storage: '1' } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => makeVideo(api, { params }, { size_bytes: 400_000_000 })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(1);
    await makeVideo(api, { params }, { size_bytes: 200_000_000 });
    expect(await refusalOf(makeVideo(api, { params }, { size_bytes: 1 }))).toMatchObject({
      code: 'feature-limit-reached',
      errors: { max_storage: [expect.any(String)] },
    });
  });

  test('if the media server does not respond, nothing is stored, and a retry with the same Idempotency-Key creates the video', async () => {
    const { params, subscription } = await makeVideoRoom(api, media);
    const create = { params, body: { name: 'Once', size_bytes: 10 }, idempotencyKey: unique('once') };
    media.fail = 'drop';
    expect(await refusalOf(api.admin.createVideo(create))).toMatchObject({ status: 503, code: 'provider-unavailable' });
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(0);
    media.fail = null;
    const first = await api.admin.createVideo(create);
    expect(await api.admin.createVideo(create)).toEqual(first);
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(1);
  });

  test('all videos of a room are on one media server', async () => {
    const { params, provider, subscription, servicePackage } = await makeVideoRoom(api, media);
    await makeVideo(api, { params });
    const second = await startFakeMediaServer();
    const other = await makeMediaProvider(api, second);
    const { data: packageProvider } = await api.admin.createServicePackageProvider({
      params: { service_package_id: servicePackage.id },
      body: { service_provider_id: other.id },
    });
    const { data: attached } = await api.admin.createSubscriptionProvider({
      params: { subscription_id: subscription.id },
      body: { package_provider_id: packageProvider.id },
    });
    await api.admin.updateSubscriptionProvider({
      params: { subscription_id: subscription.id, provider_id: attached.id },
      body: { default: true },
    });
    await makeVideo(api, { params });
    expect(second.videos.size).toBe(0);
    expect(provider).not.toBe(other.id);
    await second.close();
  });
});

describe('state', () => {
  test('a processed video uses its stored size of max_storage, and lists its renditions, the highest first', async () => {
    const { params, provider, subscription } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params }, { size_bytes: 1_000_000_001 });
    await sendVideoState(
      api,
      provider,
      media.changeVideo(video.uuid, { state: 'processing', progress: 40, playable: true }),
    );
    expect(await read(video.id)).toMatchObject({ state: 'processing', progress: 40, stored_bytes: null });
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(2);
    await sendVideoState(api, provider, media.changeVideo(video.uuid, { ...ready, stored_bytes: 4_000_000_000 }));
    expect(await read(video.id)).toMatchObject({
      state: 'ready',
      duration_seconds: 61.5,
      stored_bytes: 4_000_000_000,
      renditions: [{ height: 720 }, { height: 480 }],
    });
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(4);
    expect(await runJob(api.app.dependencies, 'reconcile-usage')).toBe(0);
  });

  test('viewers see a video from its first rendition on, and no longer when it fails', async () => {
    const { params, provider } = await makeVideoRoom(api, media, {
      features: { viewer_minutes: '1000', max_viewers: '10' },
      room: { is_public: true },
    });
    const { id, uuid } = await makeVideo(api, { params });
    const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'attendee' } });
    const join = async () =>
      (await api.anyone.joinRoom({ params, body: { name: 'Vera', token: token.token ?? '' } })).data;
    const listed = async () => {
      const response = await fetch(`${(await join()).url}/playback`, { method: 'POST' });
      return ((await response.json()) as { videos: { id: string }[] }).videos.map((video) => video.id);
    };
    await sendVideoState(api, provider, media.changeVideo(uuid, { ...ready, state: 'processing' }));
    expect(await listed()).toEqual([uuid]);
    await sendVideoState(api, provider, media.changeVideo(uuid, { state: 'failed' }));
    expect((await read(id)).renditions).toHaveLength(2);
    expect([await listed(), (await join()).playback]).toEqual([[], null]);
  });

  test('events of the media server are applied by revision, in any order and with repetitions', async () => {
    const { params, provider } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params });
    const states = [
      media.changeVideo(video.uuid, { state: 'uploading', progress: 50 }),
      media.changeVideo(video.uuid, { state: 'processing', progress: 10 }),
      media.changeVideo(video.uuid, { state: 'processing', progress: 60 }),
      media.changeVideo(video.uuid, ready),
    ];
    await Promise.all([...states, ...states].toReversed().map((state) => sendVideoState(api, provider, state)));
    expect(await read(video.id)).toMatchObject({ state: 'ready', progress: 100, renditions: [{}, {}] });
    expect((await eventsOf(video.id)).filter((name) => name === 'video.ready')).toHaveLength(1);
    await sendVideoState(api, provider, states[1] ?? {});
    expect((await read(video.id)).state).toBe('ready');
  });

  test('a change of the progress has no event', async () => {
    const { params, provider } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params });
    await sendVideoState(api, provider, media.changeVideo(video.uuid, { state: 'processing', progress: 1 }));
    const before = await eventsOf(video.id);
    await sendVideoState(api, provider, media.changeVideo(video.uuid, { progress: 2 }));
    expect((await read(video.id)).progress).toBe(2);
    expect(await eventsOf(video.id)).toEqual(before);
    expect(before).toEqual(['video.created', 'video.updated']);
  });

  test('a call of another media server changes nothing', async () => {
    const { params } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params });
    const other = await makeMediaProvider(api, media);
    await sendVideoState(api, other.id, media.changeVideo(video.uuid, ready));
    expect((await read(video.id)).state).toBe('awaiting-upload');
    expect(await reportUpload(api, other.id, video.id, 60)).toMatchObject({ allow: false, code: 'video-unknown' });
  });

  test('changes without an event are found by polling', async () => {
    const { params } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params });
    media.changeVideo(video.uuid, ready);
    media.fail = { status: 500, code: 'internal', message: 'Out of order.' };
    await sync();
    expect((await read(video.id)).state).toBe('awaiting-upload');
    media.fail = null;
    await sync();
    expect(await read(video.id)).toMatchObject({ state: 'ready', width: 1280, height: 720 });
  });

  test('transcoding minutes are charged once, and transcoding is rejected when they are used up', async () => {
    const { params, provider, subscription } = await makeVideoRoom(api, media, {
      features: { transcoding_minutes: '5', max_resolution: '720' },
    });
    const [first, second] = [await makeVideo(api, { params }), await makeVideo(api, { params })];
    for (const _attempt of [1, 2, 3])
      expect(await reportUpload(api, provider, first.id, 181)).toEqual({ allow: true, max_height: 720 });
    expect(await usageOf(api, subscription.id, 'transcoding_minutes')).toBe(4);
    expect(await reportUpload(api, provider, second.id, 61)).toMatchObject({
      allow: false,
      code: 'transcoding-minutes-used-up',
      message: expect.stringContaining('4 of 5'),
    });
    expect(await reportUpload(api, provider, second.id, 60)).toMatchObject({ allow: true });
    expect(await usageOf(api, subscription.id, 'transcoding_minutes')).toBe(5);
  });

  test('of concurrent requests for the last transcoding minutes, one is allowed', async () => {
    const { params, provider, subscription } = await makeVideoRoom(api, media, {
      features: { transcoding_minutes: '3' },
    });
    const videos = await Promise.all([1, 2, 3, 4].map(() => makeVideo(api, { params })));
    const answers = await Promise.all(videos.map(({ id }) => reportUpload(api, provider, id, 120)));
    expect(answers.filter((answer) => answer?.allow)).toHaveLength(1);
    expect(await usageOf(api, subscription.id, 'transcoding_minutes')).toBe(2);
  });

  test('a video uploaded to a room, account or customer that may not be used is neither transcoded nor charged', async () => {
    const { params, provider, room, subscription } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params });
    const isTranscoded = async () => (await reportUpload(api, provider, video.id, 60))?.allow;
    const account = { account_id: room.account_id };
    await api.admin.updateAccount({ params: account, body: { status: 'inactive' } });
    expect(await isTranscoded()).toBe(false);
    await api.admin.updateAccount({ params: account, body: { status: 'active' } });
    await api.admin.updateRoom({ params, body: { status: 'inactive' } });
    expect(await isTranscoded()).toBe(false);
    await api.admin.updateRoom({ params, body: { status: 'active' } });
    await api.admin.updateCustomer({ params: { customer_id: room.customer_id }, body: { status: 'inactive' } });
    expect(await isTranscoded()).toBe(false);
    await api.admin.updateCustomer({ params: { customer_id: room.customer_id }, body: { status: 'active' } });
    expect(await usageOf(api, subscription.id, 'transcoding_minutes')).toBe(0);
    expect(await isTranscoded()).toBe(true);
  });

  test('videos of an unusable subscription are not transcoded', async () => {
    const { params, provider, subscription } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params });
    await api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status: 'suspended' } });
    expect(await reportUpload(api, provider, video.id, 60)).toMatchObject({
      allow: false,
      code: 'subscription-not-usable',
    });
  });

  test('an upload that never started fails after a day, and releases its storage and its files', async () => {
    const room = await makeVideoRoom(api, media);
    const video = await makeVideo(api, room, { size_bytes: 3_000_000_000 });
    const queuedVideo = await makeVideo(api, room);
    media.changeVideo(queuedVideo.uuid, { state: 'queued' });
    api.clock.advance({ hours: 23 });
    await sync();
    expect((await read(video.id)).state).toBe('awaiting-upload');
    api.clock.advance({ hours: 2 });
    await sync();
    await sync();
    expect(await read(video.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'upload-expired' },
      stored_bytes: 0,
    });
    expect((await read(queuedVideo.id)).state).toBe('queued');
    expect(await usageOf(api, room.subscription.id, 'max_storage')).toBe(1);
    expect(media.videos.has(video.uuid)).toBe(false);
    expect(await refusalOf(api.admin.retryVideo({ params: { video_id: video.id } }))).toMatchObject({
      status: 409,
      code: 'video-not-failed',
    });
  });
});

describe('changes', () => {
  test('name, description, order, publication and metadata are changed, and an update without changes has no event', async () => {
    const { params } = await makeVideoRoom(api, media);
    const { id } = await makeVideo(api, { params });
    const change = {
      params: { video_id: id },
      body: { name: 'Renamed', description: 'Told', published: false, sort_order: -2, video_metadata: { a: 1 } },
    };
    expect((await api.admin.updateVideo(change)).data).toMatchObject(change.body);
    await api.admin.updateVideo(change);
    expect(await eventsOf(id)).toEqual(['video.created', 'video.updated']);
  });

  test('the media server learns at once that a video is hidden or shown, and later if it does not respond', async () => {
    const { params } = await makeVideoRoom(api, media);
    const { id, uuid } = await makeVideo(api, { params }, { published: false });
    const isHidden = () => media.videos.get(uuid)?.['hidden'];
    expect(isHidden()).toBe(true);
    const publish = async (published: boolean) =>
      await api.admin.updateVideo({ params: { video_id: id }, body: { published } });
    await publish(true);
    expect(isHidden()).toBe(false);
    media.fail = 'drop';
    expect((await publish(false)).data.published).toBe(false);
    expect(isHidden()).toBe(false);
    media.fail = null;
    await sync();
    expect(isHidden()).toBe(true);
  });

  test('captions are set by language and deleted, and a file that the media server does not accept is rejected', async () => {
    const { params } = await makeVideoRoom(api, media);
    const { id } = await makeVideo(api, { params });
    const setCaptions = (language: string, body: Blob, label?: string) =>
      api.admin.setVideoCaptions({ params: { video_id: id, language }, body, query: label ? { label } : {} });
    const vtt = (text = 'WEBVTT') => new Blob([text], { type: 'text/vtt' });
    expect((await setCaptions('PT-br', vtt())).data.captions).toEqual([
      { language: 'pt-BR', label: 'português (Brasil)' },
    ]);
    const srt = new Blob(['1'], { type: 'application/x-subrip' });
    expect((await setCaptions('de', srt, 'Deutsch (Lehrer)')).data.captions).toEqual([
      { language: 'de', label: 'Deutsch (Lehrer)' },
      { language: 'pt-BR', label: 'português (Brasil)' },
    ]);
    expect(await refusalOf(setCaptions('de', vtt('bad')))).toMatchObject({
      status: 422,
      code: 'file-not-accepted',
      errors: { file: ['Line 1 is no cue.'] },
    });
    expect(await refusalOf(setCaptions('not a language', vtt()))).toMatchObject({
      status: 422,
      errors: { language: [/./] },
    });
    expect(await refusalOf(setCaptions('de', new Blob(['x'], { type: 'text/plain' })))).toMatchObject({ status: 415 });
    expect(await refusalOf(setCaptions('de', new Blob([], { type: 'text/vtt' })))).toMatchObject({ status: 422 });
    expect(await refusalOf(setCaptions('de', vtt('x'.repeat(2_000_001))))).toMatchObject({ status: 413 });
    await api.admin.deleteVideoCaptions({ params: { video_id: id, language: 'de' } });
    await api.admin.deleteVideoCaptions({ params: { video_id: id, language: 'de' } });
    expect((await read(id)).captions).toEqual([{ language: 'pt-BR', label: 'português (Brasil)' }]);
  });

  test('a poster has a signed address that changes with the picture and is in no event', async () => {
    const { params, provider } = await makeVideoRoom(api, media);
    const { id, uuid } = await makeVideo(api, { params });
    const setPoster = async () => {
      const body = new Blob(['picture'], { type: 'image/png' });
      return (await api.admin.setVideoPoster({ params: { video_id: id }, body })).data.poster_url ?? '';
    };
    const [first, second] = [await setPoster(), await setPoster()];
    expect(first).toMatch(new RegExp(`^${media.url}/play/[\\w-]+\\.[\\w-]+/videos/${uuid}/poster\\.jpg\\?v=\\d+$`));
    expect(second).not.toBe(first);
    expect((await read(id)).poster_url).toBe(second);
    const { data: listed } = await api.admin.listRoomVideos({ params });
    expect(listed.map((video) => video.poster_url)).toEqual([second]);
    const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${id}` } });
    expect(JSON.stringify(events)).not.toContain('/play/');
    expect(provider).toMatch(/^prov_/);
  });

  test('a media server that does not respond changes no file', async () => {
    const { params } = await makeVideoRoom(api, media);
    const { id } = await makeVideo(api, { params });
    media.fail = 'drop';
    const body = new Blob(['picture'], { type: 'image/jpeg' });
    expect(await refusalOf(api.admin.setVideoPoster({ params: { video_id: id }, body }))).toMatchObject({
      status: 503,
      code: 'provider-unavailable',
    });
  });

  test('a failed video is processed again if its storage can be reserved', async () => {
    const { params, provider, subscription } = await makeVideoRoom(api, media, { features: { max_storage: '2' } });
    const video = await makeVideo(api, { params }, { size_bytes: 2_000_000_000 });
    const retry = () => api.admin.retryVideo({ params: { video_id: video.id } });
    expect(await refusalOf(retry())).toMatchObject({ status: 409, code: 'video-not-failed' });
    const failure = { code: 'transcoding-failed', message: 'No video stream.' };
    await sendVideoState(api, provider, media.changeVideo(video.uuid, { state: 'failed', failure, stored_bytes: 0 }));
    expect(await read(video.id)).toMatchObject({ state: 'failed', failure });
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(0);
    const other = await makeVideo(api, { params });
    expect(await refusalOf(retry())).toMatchObject({ status: 422, code: 'feature-limit-reached' });
    await api.admin.deleteVideo({ params: { video_id: other.id } });
    media.fail = 'drop';
    expect(await refusalOf(retry())).toMatchObject({ status: 503, code: 'provider-unavailable' });
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(0);
    media.fail = null;
    expect(await refusalOf(retry())).toMatchObject({ status: 409, code: 'video-not-failed' });
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(0);
    media.changeVideo(video.uuid, { received_bytes: 2_000_000_000 });
    expect((await retry()).data).toMatchObject({ state: 'queued', failure: null });
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(2);
    expect(await eventsOf(video.id)).toEqual(['video.created', 'video.failed', 'video.updated']);
  });
});

describe('deletion', () => {
  test('if the media server does not respond, the files are deleted later', async () => {
    const { params } = await makeVideoRoom(api, media);
    const { id, uuid } = await makeVideo(api, { params });
    media.fail = 'drop';
    await api.admin.deleteVideo({ params: { video_id: id } });
    expect((await refusalOf(read(id))).status).toBe(404);
    media.fail = null;
    expect(media.videos.has(uuid)).toBe(true);
    api.clock.advance({ minutes: 2 });
    await sync();
    expect(media.videos.has(uuid)).toBe(false);
  });

  test('a room is deleted with its videos, and their usage is released', async () => {
    const { params, subscription } = await makeVideoRoom(api, media);
    const videos = [await makeVideo(api, { params }), await makeVideo(api, { params })];
    await api.admin.deleteRoom({ params });
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(0);
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(0);
    await sync();
    for (const { id, uuid } of videos) {
      expect(media.videos.has(uuid)).toBe(false);
      expect(await eventsOf(id)).toContain('video.deleted');
    }
  });

  test('a provider that has videos cannot be deleted', async () => {
    const { params, provider } = await makeVideoRoom(api, media);
    await makeVideo(api, { params });
    expect(
      await refusalOf(api.admin.deleteServiceProvider({ params: { service_provider_id: provider } })),
    ).toMatchObject({
      status: 409,
      code: 'provider-in-use',
    });
  });

  test('wrong usage is corrected by a recount', async () => {
    const { params, subscription } = await makeVideoRoom(api, media);
    await makeVideo(api, { params }, { size_bytes: 1_200_000_000 });
    await api.app.connection.pool.query('update subscription_usages set used = 7 where subscription_id = $1', [
      subscription.uuid,
    ]);
    await runJob(api.app.dependencies, 'reconcile-usage');
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(1);
    expect(await usageOf(api, subscription.id, 'max_storage')).toBe(2);
  });
});

describe('users of the customer', () => {
  test('reading needs read-room, and writing needs manage-videos', async () => {
    const { room, customer, params } = await makeVideoRoom(api, media);
    const password = 'a password of a member';
    const email = `${unique('member')}@example.com`;
    const { data: member } = await api.admin.createCustomerUser({
      params: { customer_id: customer.id },
      body: { email, first_name: 'Mary', last_name: 'Shelley', password, permissions: [] },
    });
    const grant = { params: { room_id: room.id, user_id: member.user_id } };
    await api.admin.createRoomUser({
      params: { room_id: room.id },
      body: { user_id: member.user_id, permissions: ['read-room'] },
    });
    const user = api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
    const video = await makeVideo(api, { params });
    expect((await user.listVideos()).data.map(({ id }) => id)).toEqual([video.id]);
    const change = { params: { video_id: video.id }, body: { name: 'Mine' } };
    expect(await refusalOf(user.updateVideo(change))).toMatchObject({ status: 403 });
    const create = { params, body: { name: 'Mine', size_bytes: 1 } };
    expect(await refusalOf(user.createVideo(create))).toMatchObject({ status: 403 });
    await api.admin.updateRoomUser({ ...grant, body: { permissions: ['read-room', 'manage-videos'] } });
    expect((await user.updateVideo(change)).data.name).toBe('Mine');
    expect((await user.createVideo(create)).data.upload).not.toBeNull();
  });

  test('a reseller cannot use the part of max_videos that it resold', async () => {
    const { params, customer, subscription, servicePackage } = await makeVideoRoom(api, media, {
      features: { max_videos: '3' },
    });
    await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { is_reseller: true } });
    const childCustomer = await makeCustomer(api, { parent_customer_id: customer.id });
    const { data: handedDown } = await api.admin.createSubscription({
      body: {
        package_id: servicePackage.id,
        subscriber_id: childCustomer.id,
        parent_subscription_id: subscription.id,
        features: { max_videos: 2, max_storage: 50, max_accounts: 1, max_rooms: 1, transcoding_minutes: 10 },
      },
    });
    await makeVideo(api, { params });
    expect(await refusalOf(makeVideo(api, { params }))).toMatchObject({ status: 422, code: 'feature-limit-reached' });
    const { data: account } = await api.admin.createAccount({
      body: { account_name: unique('Account'), subscription_id: handedDown.id },
    });
    const { data: room } = await api.admin.createRoom({ body: { room_name: unique('Room'), account_id: account.id } });
    await makeVideo(api, { params: { room_id: room.id } });
    expect(await usageOf(api, handedDown.id, 'max_videos')).toBe(1);
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(1);
  });

  test('an account is deleted with the videos of its rooms', async () => {
    const { params, account, subscription } = await makeVideoRoom(api, media);
    const video = await makeVideo(api, { params });
    await api.admin.updateAccount({ params: { account_id: account.id }, body: { status: 'inactive' } });
    await api.admin.deleteAccount({ params: { account_id: account.id } });
    expect(await usageOf(api, subscription.id, 'max_videos')).toBe(0);
    await sync();
    expect(media.videos.has(video.uuid)).toBe(false);
  });
});
