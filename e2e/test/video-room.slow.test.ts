import type { Browser, Page } from 'playwright-core';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, accessibilityFaultsInBothSchemes } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { makeClip, makeMediaRoom, openWatchPage, playedSeconds } from './media-room.ts';

let foyer: RunningFoyer;
let browser: Browser;
let clips: string;
let roomId: string;

beforeAll(async () => {
  foyer = await startFoyer({ withMedia: true });
  browser = await openBrowser();
  clips = await mkdtemp(join(tmpdir(), 'foyer-clips-'));
  roomId = await makeMediaRoom(foyer, 'video', {
    max_videos: '10',
    max_storage: '1',
    transcoding_minutes: '100',
    viewer_minutes: '1000',
    download: 'true',
    guest_access: 'true',
  });
});
afterAll(async () => {
  await browser.close();
  await foyer.stop();
  await rm(clips, { recursive: true, force: true });
});

async function upload(name: string, seconds = 6): Promise<string> {
  const path = join(clips, `${name}.mp4`);
  await makeClip(path, seconds);
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
  const response = await fetch(video.upload?.url ?? '', { method: 'PATCH', headers, body: bytes });
  expect(response.status).toBe(204);
  const read = async () => (await foyer.admin.readVideo({ params: { video_id: video.id } })).data;
  await expect.poll(async () => (await read()).state, { timeout: 60_000 }).toBe('ready');
  return video.id;
}

test('an uploaded video plays in the room, and its viewer is a participant of the session', async () => {
  await upload('First lecture');
  const page = await browser.newPage();
  const foreignUrls: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1|blob:|data:)/.test(request.url())) foreignUrls.push(request.url());
  });
  await openWatchPage(foyer, roomId, page);
  await page.click('media-play-button');
  await expect.poll(() => playedSeconds(page)).toBeGreaterThan(1);
  expect(foreignUrls).toEqual([]);
  expect(await accessibilityFaults(page)).toEqual([]);
  const meetings = async () => (await foyer.admin.listRoomMeetings({ params: { room_id: roomId } })).data;
  await expect.poll(async () => (await meetings())[0]?.participant_count).toBe(1);
  const [session] = await meetings();
  expect(session).toMatchObject({ room_type: 'video', state: 'open' });
  const { data: participants } = await foyer.admin.listMeetingParticipants({
    params: { meeting_id: session?.id ?? '' },
  });
  expect(participants.map(({ name }) => name)).toEqual(['Vera Viewer']);
  await page.close();
});

test('the visitor chooses one of several videos from a list', async () => {
  await upload('Second lecture');
  const page = await browser.newPage();
  await openWatchPage(foyer, roomId, page);
  await page.click('text=Second lecture');
  await expect.poll(() => playedSeconds(page)).toBeGreaterThan(1);
  expect(await page.getAttribute('button[aria-current]', 'aria-current')).toBe('true');
  await page.close();
});

async function hasFocus(page: Page, selector: string): Promise<boolean> {
  return await page.locator(selector).evaluate((element) => element === document.activeElement);
}

/** Presses the tab key until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 40 && !(await hasFocus(page, selector)); pressed++) await page.keyboard.press('Tab');
  expect(await hasFocus(page, selector), selector).toBe(true);
}

/** Chooses the next item of a menu of the player. */
async function chooseNext(page: Page, menu: string): Promise<void> {
  await tabTo(page, `${menu}-button`);
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(page, menu)).toBe(true);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(page, `${menu}-button`)).toBe(true);
}

async function playerState(page: Page) {
  return await page.evaluate(() => {
    const video = document.querySelector('hls-video') as HTMLVideoElement & {
      videoRenditions: Iterable<{ height: number; selected: boolean }>;
    };
    return {
      isPaused: video.paused,
      seconds: video.currentTime,
      speed: video.playbackRate,
      captions: [...video.textTracks].filter(({ mode }) => mode === 'showing').map(({ language }) => language),
      heights: [...video.videoRenditions].filter(({ selected }) => selected).map(({ height }) => height),
      isPictureInPicture: document.pictureInPictureElement !== null,
      isFullScreen: document.fullscreenElement !== null,
    };
  });
}

test('the player is used with the keyboard alone: position, captions, quality, speed, small window and full screen', async () => {
  const id = await upload('Third lecture', 40);
  await foyer.admin.setVideoCaptions({
    params: { video_id: id, language: 'es' },
    query: {},
    body: new Blob(['WEBVTT\n\n00:00.000 --> 00:39.000\nBuenos días\n'], { type: 'text/vtt' }),
  });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await openWatchPage(foyer, roomId, page);
  await tabTo(page, '.playlist button:has-text("Third lecture")');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Third lecture' }).waitFor();
  await expect.poll(() => playedSeconds(page)).toBeGreaterThan(0.5);
  await tabTo(page, 'media-controller');
  await page.keyboard.press('k');
  await expect.poll(() => playerState(page)).toMatchObject({ isPaused: true });
  const { seconds } = await playerState(page);
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => Math.round((await playerState(page)).seconds - seconds)).toBe(10);
  await page.keyboard.press('c');
  await expect.poll(() => playerState(page)).toMatchObject({ captions: ['es'] });
  await chooseNext(page, 'media-playback-rate-menu');
  await expect.poll(async () => (await playerState(page)).speed).not.toBe(1);
  await chooseNext(page, 'media-rendition-menu');
  await expect.poll(async () => (await playerState(page)).heights).toHaveLength(1);
  await tabTo(page, 'media-pip-button');
  await page.keyboard.press('Enter');
  await expect.poll(() => playerState(page)).toMatchObject({ isPictureInPicture: true });
  await page.keyboard.press('Enter');
  await expect.poll(() => playerState(page)).toMatchObject({ isPictureInPicture: false });
  await tabTo(page, 'media-fullscreen-button');
  await page.keyboard.press('Enter');
  await expect.poll(() => playerState(page)).toMatchObject({ isFullScreen: true });
  await page.keyboard.press('f');
  await expect.poll(() => playerState(page)).toMatchObject({ isFullScreen: false });
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await page.context().close();
}, 120_000);

test('the controls and the page use the language of the viewer', async () => {
  const context = await browser.newContext({ locale: 'de-DE', viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await openWatchPage(foyer, roomId, page);
  await page.getByRole('region', { name: 'Videoplayer' }).waitFor();
  await page.getByRole('button', { name: 'abspielen' }).first().click();
  await expect.poll(() => playedSeconds(page)).toBeGreaterThan(0.5);
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await context.close();
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
  // For the browser, localhost is another site than 127.0.0.1.
  const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
  const page = await browser.newPage();
  await page.goto(origin);
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  await admin.updateCustomer({
    params: { customer_id: room.customer_id },
    body: { allowed_domains_origins: [origin] },
  });
  await page.reload();
  await page.frameLocator('iframe').locator('media-play-button:visible').first().click();
  const played = () =>
    page.frames()[1]?.evaluate(() => document.querySelector<HTMLVideoElement>('hls-video')?.currentTime ?? 0);
  await expect.poll(played).toBeGreaterThan(1);
  await page.close();
  site.close();
});

test('other players get a signed address, which stops working when the room token is deleted', async () => {
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

test('a video that is completely loaded stops when the room token is deleted, and the viewer sees why', async () => {
  const { admin } = foyer;
  await upload('Fourth lecture', 20);
  const { data: token } = await admin.createRoomToken({ params: { room_id: roomId }, body: { role: 'attendee' } });
  const { data: entry } = await admin.joinRoom({
    params: { room_id: roomId },
    body: { token: token.token ?? '', name: 'Olga' },
  });
  const page = await browser.newPage();
  await page.goto(entry.url);
  await page.click('text=Fourth lecture');
  await page.evaluate(() => document.querySelector<HTMLVideoElement>('hls-video')?.setAttribute('loop', ''));
  const loadedSeconds = async () =>
    await page.evaluate(() => {
      const { buffered } = document.querySelector<HTMLVideoElement>('hls-video') ?? {};
      return buffered && buffered.length > 0 ? buffered.end(buffered.length - 1) : 0;
    });
  await expect.poll(loadedSeconds, { timeout: 60_000 }).toBeGreaterThan(19);
  await admin.deleteRoomToken({ params: { room_id: roomId, token_id: token.id } });
  await page.getByRole('alert').waitFor({ timeout: 90_000 });
  expect(await page.getByRole('alert').innerText()).toContain('This link is no longer valid');
  expect(await page.locator('hls-video').count()).toBe(0);
  await page.close();
}, 240_000);
