import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { seedDemonstration } from '../src/demo.ts';
import { examine } from '../src/doctor.ts';
import { startApi } from './api.ts';
import { startFakeMediaServer } from './fake-media-server.ts';
import { makeVideo } from './video-rooms.ts';

const sandbox = { apiUrl: 'http://127.0.0.1:9/bigbluebutton/api', secret: 'no-server-there' };

test('the demonstration has a room of each type, a video if a media server runs, and is created once', async () => {
  const [api, media] = await Promise.all([startApi(), startFakeMediaServer()]);
  onTestFinished(async () => {
    await api.close();
    await media.close();
  });
  const link = await seedDemonstration(api.app.dependencies, sandbox, media);
  expect(link).toMatch(/\/rooms\/.*\?token=/);
  expect(await seedDemonstration(api.app.dependencies, sandbox, media)).toBe(link);
  const { data: rooms } = await api.admin.listRooms({ query: { orderBy: 'room_type', sortedBy: 'asc' } });
  expect(rooms.map((room) => room.room_type)).toEqual(['live', 'meet', 'simulcast', 'video']);
  const { data: videos } = await api.admin.listVideos();
  expect(videos.map(({ uuid, size_bytes }) => media.videos.get(uuid)?.['received_bytes'] === size_bytes)).toEqual([
    true,
  ]);
  const video = await makeVideo(api, { params: { room_id: rooms[3]?.id ?? '' } });
  expect(media.videos.has(video.uuid)).toBe(true);
});

test('guests can open each demonstration room to watch, and doctor does not warn that the providers share a media server', async () => {
  const [api, media] = await Promise.all([startApi(), startFakeMediaServer()]);
  onTestFinished(async () => {
    await api.close();
    await media.close();
  });
  await seedDemonstration(api.app.dependencies, sandbox, media);
  const { data: rooms } = await api.admin.listRooms();
  for (const { url, room_type } of rooms.filter((room) => room.room_type !== 'meet')) {
    const page = await (await fetch(new URL(new URL(url).pathname, api.url))).text();
    expect(page, room_type).toContain('is-open');
    expect(page, room_type).toContain('People who manage this room can see your name.');
  }
  const texts = (await examine(api.app, readConfig({}))).map(({ text }) => text);
  expect(texts.filter((text) => text.includes('same server'))).toEqual([]);
});

test('without a media server, the demonstration only has meetings', async () => {
  const api = await startApi();
  onTestFinished(() => api.close());
  await seedDemonstration(api.app.dependencies, sandbox, null);
  const { data: rooms } = await api.admin.listRooms();
  expect(rooms.map((room) => room.room_type)).toEqual(['meet']);
});
