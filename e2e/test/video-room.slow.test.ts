import type { Browser, Page } from 'playwright-core';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { locatePrograms } from '../../media/src/ffmpeg/locate.ts';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';

let foyer: RunningFoyer;
let browser: Browser;
let clips: string;
let roomId: string;

beforeAll(async () => {
  foyer = await startFoyer({ withMedia: true });
  browser = await openBrowser();
  clips = await mkdtemp(join(tmpdir(), 'foyer-clips-'));
  roomId = await makeVideoRoom();
});
afterAll(async () => {
  await browser.close();
  await foyer.stop();
  await rm(clips, { recursive: true, force: true });
});

async function makeVideoRoom(): Promise<string> {
  const { admin } = foyer;
  const { data: providers } = await admin.listServiceProviders({ query: { search: 'service_type:video' } });
  const { data: sold } = await admin.createServicePackage({
    body: { name: 'Video library', tag: 'lecture-library', service_type: 'video' },
  });
  const params = { service_package_id: sold.id };
  const features = {
    max_accounts: '5',
    max_rooms: '5',
    max_videos: '10',
    max_storage: '1',
    transcoding_minutes: '100',
    viewer_minutes: '1000',
    download: 'true',
    guest_access: 'true',
  };
  for (const [tag, value] of Object.entries(features))
    await admin.createServicePackageFeature({ params, body: { tag, value } });
  await admin.createServicePackageProvider({
    params,
    body: { service_provider_id: providers[0]?.id ?? '', default: true },
  });
  const { data: customers } = await admin.listCustomers();
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: sold.id, subscriber_id: customers[0]?.id ?? '' },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Library', subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({
    body: { room_name: 'Lectures', account_id: account.id, is_public: true },
  });
  return room.id;
}

async function upload(name: string, color: string): Promise<string> {
  const path = join(clips, `${color}.mp4`);
  const { ffmpeg } = await locatePrograms({ ffmpegPath: null, ffprobePath: null });
  const sources = `-f lavfi -i testsrc2=size=640x360:rate=25 -f lavfi -i sine=frequency=440 -t 6`;
  const codecs = `-c:v libx264 -preset ultrafast -g 50 -pix_fmt yuv420p -c:a aac`;
  await promisify(execFile)(ffmpeg.path, ['-v', 'error', '-y', ...`${sources} ${codecs}`.split(' '), path]);
  const bytes = await readFile(path);
  const { data: video } = await foyer.admin.createVideo({
    params: { room_id: roomId },
    body: { name, size_bytes: bytes.length, content_type: 'video/mp4' },
  });
  const headers = {
    'tus-resumable': '1.0.0',
    'content-type': 'application/offset+octet-stream',
    'upload-offset': '0',
  };
  const sent = await fetch(video.upload?.url ?? '', { method: 'PATCH', headers, body: bytes });
  expect(sent.status).toBe(204);
  const read = async () => (await foyer.admin.readVideo({ params: { video_id: video.id } })).data;
  await expect.poll(async () => (await read()).state, { timeout: 60_000 }).toBe('ready');
  return video.id;
}

async function enter(page: Page): Promise<void> {
  const { data: room } = await foyer.admin.readRoom({ params: { room_id: roomId } });
  await page.goto(room.url);
  await page.fill('#name', 'Vera Viewer');
  await page.click('main button[type=submit]');
  await page.waitForURL(/\/watch\//);
}

/** How far the video has played, in seconds. */
async function playedSeconds(page: Page): Promise<number> {
  return await page.evaluate(() => document.querySelector<HTMLVideoElement>('hls-video')?.currentTime ?? 0);
}

test('an uploaded video plays in the room, and its viewer is a participant of the session', async () => {
  await upload('First lecture', 'blue');
  const page = await browser.newPage();
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1|blob:|data:)/.test(request.url())) foreign.push(request.url());
  });
  await enter(page);
  await page.click('media-play-button');
  await expect.poll(() => playedSeconds(page)).toBeGreaterThan(1);
  expect(foreign).toEqual([]);
  expect(await accessibilityFaults(page)).toEqual([]);
  const meetings = async () => (await foyer.admin.listRoomMeetings({ params: { room_id: roomId } })).data;
  await expect.poll(async () => (await meetings())[0]?.participant_count).toBe(1);
  const [session] = await meetings();
  expect(session).toMatchObject({ room_type: 'video', state: 'open' });
  const { data: people } = await foyer.admin.listMeetingParticipants({ params: { meeting_id: session?.id ?? '' } });
  expect(people.map(({ name }) => name)).toEqual(['Vera Viewer']);
  await page.close();
});

test('several videos are a list in which one is chosen', async () => {
  await upload('Second lecture', 'red');
  const page = await browser.newPage();
  await enter(page);
  await page.click('text=Second lecture');
  await expect.poll(() => playedSeconds(page)).toBeGreaterThan(1);
  expect(await page.getAttribute('button[aria-current]', 'aria-current')).toBe('true');
  await page.close();
});

test('a page of another site plays the video in a frame only if the customer of the room allows its origin', async () => {
  const { admin } = foyer;
  const { data: room } = await admin.readRoom({ params: { room_id: roomId } });
  const { data: entry } = await admin.joinRoom({ params: { room_id: roomId }, body: { name: 'Frieda' } });
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<iframe src="${entry.url}" width="900" height="600" allow="autoplay; fullscreen"></iframe>`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  // Another site than 127.0.0.1 for the browser.
  const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
  const page = await browser.newPage();
  await page.goto(origin);
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  await admin.updateCustomer({
    params: { customer_id: room.customer_id },
    body: { allowed_domains_origins: [origin] },
  });
  await page.reload();
  await page.frameLocator('iframe').locator('media-play-button').click();
  const played = () =>
    page.frames()[1]?.evaluate(() => document.querySelector<HTMLVideoElement>('hls-video')?.currentTime ?? 0);
  await expect.poll(played).toBeGreaterThan(1);
  await page.close();
  site.close();
});

test('other players get a signed address, which is refused when the room token is deleted', async () => {
  const { admin } = foyer;
  const { data: token } = await admin.createRoomToken({ params: { room_id: roomId }, body: { role: 'attendee' } });
  const { data: entry } = await admin.joinRoom({
    params: { room_id: roomId },
    body: { token: token.token ?? '', name: 'Otto' },
  });
  expect(entry.url).toContain('/watch/');
  const address = entry.playback?.hls_url ?? '';
  expect((await fetch(address)).status).toBe(200);
  await admin.deleteRoomToken({ params: { room_id: roomId, token_id: token.id } });
  await expect.poll(async () => (await fetch(address)).status, { timeout: 60_000, interval: 1000 }).toBe(403);
  expect((await fetch(`${entry.url}/playback`, { method: 'POST' })).status).toBe(403);
});
