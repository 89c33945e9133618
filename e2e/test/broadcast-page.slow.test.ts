import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, accessibilityFaultsInBothSchemes } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { makeMediaRoom, playedSeconds } from './media-room.ts';

let foyer: RunningFoyer;
let browser: Browser;
let roomId: string;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  foyer = await startFoyer({ withMedia: true });
  browser = await openBrowser(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']);
  roomId = await makeMediaRoom(foyer, 'live', { stream_minutes: '600', viewer_minutes: '6000', guest_access: 'true' });
});
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  await foyer.admin.endStream({ params: { room_id: roomId } });
  await expect.poll(readStreamState, { timeout: 40_000 }).toBe('idle');
});
afterAll(async () => {
  await browser.close();
  await foyer.stop();
});

async function readStreamState(): Promise<string> {
  return (await foyer.admin.readStream({ params: { room_id: roomId } })).data.state;
}

async function join(name: string, role: 'moderator' | 'attendee'): Promise<string> {
  return (await foyer.admin.joinRoom({ params: { room_id: roomId }, body: { name, role } })).data.url;
}

async function openPage(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext(options);
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function goLive(page: Page): Promise<void> {
  await page.getByText('Ready. Nobody sees you yet.').waitFor();
  await page.getByRole('button', { name: 'Go live' }).click();
  await page.getByText('You are live.').waitFor({ timeout: 30_000 });
}

/** Simulates a failure of the network. */
async function loseConnection(page: Page): Promise<void> {
  await page.evaluate(() => {
    const peers = (window as unknown as { peers: RTCPeerConnection[] }).peers;
    for (const peer of peers.splice(0)) {
      peer.close();
      peer.dispatchEvent(new Event('connectionstatechange'));
    }
  });
}

/** The name of the device or screen in the preview. */
async function readPreviewLabel(page: Page): Promise<string | undefined> {
  return await page.evaluate(() => {
    const stream = document.querySelector('video')?.srcObject;
    return stream instanceof MediaStream ? stream.getVideoTracks()[0]?.label : undefined;
  });
}

/** Exposes the WebRTC connections of the page, so that the test can close them. */
function exposePeers(): void {
  const peers: RTCPeerConnection[] = [];
  Object.assign(window, { peers });
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      peers.push(this);
    }
  };
}

test('a moderator goes live from the browser, an attendee sees the picture, and both are notified of the end', async () => {
  const viewerPage = await openPage(await join('Vera', 'attendee'));
  await viewerPage.getByText('The stream has not started yet').waitFor();
  expect(await viewerPage.getByRole('link', { name: 'Go live' }).count()).toBe(0);
  const watchPage = await openPage(await join('Mona', 'moderator'));
  const opened = watchPage.context().waitForEvent('page');
  await watchPage.getByRole('link', { name: 'Go live' }).click();
  const page = await opened;
  const requestedHosts: string[] = [];
  page.on('request', (request) => requestedHosts.push(new URL(request.url()).hostname));
  await goLive(page);
  await expect.poll(() => playedSeconds(viewerPage), { timeout: 60_000 }).toBeGreaterThan(1);
  expect(await readStreamState()).toBe('live');
  expect(await page.locator('#camera option').count()).toBeGreaterThan(0);
  const meter = page.getByRole('meter', { name: 'Microphone level' });
  await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Mute' }).click();
  await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow'))).toBe(0);
  // Mona's watch page counts as a viewer, too; the broadcast page does not.
  await page.getByText('Watching: 2').waitFor();
  await watchPage.close();
  expect((await foyer.admin.readStream({ params: { room_id: roomId } })).data.viewers).toBeLessThanOrEqual(2);
  await page.getByRole('button', { name: 'End the broadcast' }).click();
  await page.getByText('Your broadcast has ended').waitFor();
  await viewerPage.getByText('The broadcast has ended').waitFor({ timeout: 40_000 });
  expect(new Set(requestedHosts)).toEqual(new Set(['127.0.0.1']));
});

test('the stream key never reaches the browser', async () => {
  const page = await openPage(`${await join('Mona', 'moderator')}/broadcast`);
  const { data } = await foyer.admin.revealStreamKey({ params: { room_id: roomId } });
  const responding = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/broadcast'),
  );
  await goLive(page);
  const answer = await (await responding).text();
  expect(answer).toContain('"answer"');
  expect(answer + (await page.content())).not.toContain(data.ingest.stream_key);
});

test('a second browser is told that the room is already live, and can go live afterwards', async () => {
  const first = await openPage(`${await join('Mona', 'moderator')}/broadcast`);
  const second = await openPage(`${await join('Max', 'moderator')}/broadcast`);
  await goLive(first);
  await expect.poll(readStreamState, { timeout: 30_000 }).toBe('live');
  await second.getByText('Ready. Nobody sees you yet.').waitFor();
  await second.getByRole('button', { name: 'Go live' }).click();
  await second.getByText('Someone else is live in this room').waitFor();
  expect(await readStreamState()).toBe('live');
  await first.close({ runBeforeUnload: false });
  await expect.poll(readStreamState, { timeout: 30_000 }).toBe('reconnecting');
  await second.getByRole('button', { name: 'Go live' }).click();
  await second.getByText('You are live.').waitFor({ timeout: 30_000 });
});

test('a browser that loses its connection rejoins the same session', async () => {
  const context = await browser.newContext();
  contexts.push(context);
  await context.addInitScript(exposePeers);
  const page = await context.newPage();
  await page.goto(`${await join('Mona', 'moderator')}/broadcast`);
  await goLive(page);
  await expect.poll(readStreamState, { timeout: 30_000 }).toBe('live');
  const { data: before } = await foyer.admin.readStream({ params: { room_id: roomId } });
  await loseConnection(page);
  await page.getByText('The connection was lost. Reconnecting…').waitFor();
  await page.getByText('You are live.').waitFor({ timeout: 30_000 });
  await expect.poll(readStreamState, { timeout: 30_000 }).toBe('live');
  const { data: after } = await foyer.admin.readStream({ params: { room_id: roomId } });
  expect(after.started_at).toBe(before.started_at);
});

test('a moderator shares the screen while live, and returns to the camera when the sharing ends', async () => {
  const viewerPage = await openPage(await join('Vera', 'attendee'));
  const page = await openPage(`${await join('Mona', 'moderator')}/broadcast`);
  await goLive(page);
  const height = async () => (await foyer.admin.readStream({ params: { room_id: roomId } })).data.input?.height;
  await expect.poll(height, { timeout: 30_000 }).toBe(720);
  await page.getByRole('radio', { name: 'Screen' }).check();
  await expect.poll(() => readPreviewLabel(page)).toMatch(/^screen:/);
  await expect.poll(height, { timeout: 30_000 }).toBe(1080);
  expect(await page.locator('.status').innerText()).toBe('You are live.');
  const played = await playedSeconds(viewerPage);
  await expect.poll(() => playedSeconds(viewerPage), { timeout: 60_000 }).toBeGreaterThan(played + 1);
  // Simulates the button of the browser that stops sharing.
  await page.evaluate(() => {
    const stream = document.querySelector('video')?.srcObject;
    if (stream instanceof MediaStream) stream.getVideoTracks()[0]?.dispatchEvent(new Event('ended'));
  });
  await expect.poll(() => readPreviewLabel(page)).toMatch(/^fake_device/);
  expect(await page.getByRole('radio', { name: 'Camera' }).isChecked()).toBe(true);
  await expect.poll(height, { timeout: 30_000 }).toBe(720);
  expect(await readStreamState()).toBe('live');
}, 180_000);

test('in a simulcast room without viewers, neither the broadcast page nor the room page mentions viewers', async () => {
  const simulcastRoomId = await makeMediaRoom(foyer, 'simulcast', {
    max_outputs: '2',
    stream_minutes: '60',
    guest_access: 'true',
  });
  const params = { room_id: simulcastRoomId };
  const { data: entry } = await foyer.admin.joinRoom({ params, body: { name: 'Mona', role: 'moderator' } });
  const page = await openPage(entry.url);
  await goLive(page);
  await page.locator('.badge-time').getByText('0:01').waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/viewer|watch/i);
  await page.getByRole('button', { name: 'End the broadcast' }).click();
  await page.getByText('The connected platforms no longer receive your picture.').waitFor();
  const { data: room } = await foyer.admin.readRoom({ params });
  const visitorPage = await openPage(room.url);
  await visitorPage.getByText('This room only sends its stream to other platforms').waitFor();
});

test('an attendee gets neither the broadcast page nor an answer to a WebRTC offer', async () => {
  const url = `${await join('Vera', 'attendee')}/broadcast`;
  const page = await openPage(url);
  await page.getByText('Only moderators can go live').waitFor();
  expect((await fetch(url)).status).toBe(403);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ offer: 'v=0' }),
  });
  expect(response.status).toBe(403);
  expect(await response.json()).toEqual({ refusal: 'not-moderator' });
  expect((await fetch(`${url}/${crypto.randomUUID()}`, { method: 'DELETE' })).status).toBe(403);
});

test('a refused permission is explained, and “Try again” works once it is granted', async () => {
  const context = await browser.newContext();
  contexts.push(context);
  await context.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
  });
  const page = await context.newPage();
  await page.goto(`${await join('Mona', 'moderator')}/broadcast`);
  await page.getByRole('alert').getByText('The browser does not allow access').waitFor();
  expect(await page.getByRole('button', { name: 'Go live' }).isDisabled()).toBe(true);
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await page.evaluate(() => Reflect.deleteProperty(navigator.mediaDevices, 'getUserMedia'));
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Ready. Nobody sees you yet.').waitFor();
});

test('“Try again” releases the microphone that was opened while the camera was in use', async () => {
  const context = await browser.newContext();
  contexts.push(context);
  await context.addInitScript(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    const opened: MediaStreamTrack[] = [];
    Object.assign(window, { opened });
    mediaDevices.getUserMedia = async (constraints) => {
      if (constraints?.video) throw new DOMException('in use', 'NotReadableError');
      const stream = await open(constraints);
      opened.push(...stream.getTracks());
      return stream;
    };
  });
  const page = await context.newPage();
  await page.goto(`${await join('Mona', 'moderator')}/broadcast`);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.evaluate(() => Reflect.deleteProperty(navigator.mediaDevices, 'getUserMedia'));
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Ready. Nobody sees you yet.').waitFor();
  const states = await page.evaluate(() =>
    (window as unknown as { opened: MediaStreamTrack[] }).opened.map(({ readyState }) => readyState),
  );
  expect(states).toEqual(['ended']);
});

test.each(['light', 'dark'] as const)('the page has no accessibility fault in %s, also on a phone', async (scheme) => {
  const url = `${await join('Mona', 'moderator')}/broadcast`;
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const page = await openPage(url, { viewport, colorScheme: scheme });
    await page.getByText('Ready. Nobody sees you yet.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
    await page.context().close();
  }
});
