import { once } from 'node:events';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaultsInBothSchemes } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { makeMediaRoom, openWatchPage, playedSeconds, sendTestPictures, startEncoder } from './media-room.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let foyer: RunningFoyer;
/** The proxy between browsers and the media server. */
let proxy: TcpProxy;
let browser: Browser;
let roomId: string;

beforeAll(async () => {
  foyer = await startFoyer({ withMedia: true });
  proxy = await proxyMediaServer();
  browser = await openBrowser();
  roomId = await makeMediaRoom(foyer, 'live', {
    stream_minutes: '100',
    viewer_minutes: '100',
    low_latency: 'true',
    guest_access: 'true',
  });
});
afterAll(async () => {
  await browser.close();
  await foyer.stop();
  proxy.interrupt();
});

async function proxyMediaServer(): Promise<TcpProxy> {
  const { data: providers } = await foyer.admin.listServiceProviders({ query: { search: 'service_type:live' } });
  const { id = '', properties = {} } = providers[0] ?? {};
  const started = await startTcpProxy(Number(new URL(String(properties['host_url'])).port));
  await foyer.admin.updateServiceProvider({
    params: { service_provider_id: id },
    body: { properties: { ...properties, public_url: `http://127.0.0.1:${started.port}` } },
  });
  return started;
}

test('a viewer waits for the encoder, sees the stream when it starts, and is told when it is interrupted and when it ends', async () => {
  const { admin } = foyer;
  const page = await browser.newPage();
  await openWatchPage(foyer, roomId, page);
  await page.waitForSelector('text=The stream has not started yet');
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  const { data: stream } = await admin.readStream({ params: { room_id: roomId } });
  expect(stream).toMatchObject({ object: 'Stream', state: 'idle', ingest: { stream_key: '********' } });
  const { data: revealed } = await admin.revealStreamKey({ params: { room_id: roomId } });
  const rejected = await sendTestPictures(`${revealed.ingest.rtmp_url}/${revealed.ingest.stream_key}x`);
  expect((await once(rejected, 'exit'))[0]).not.toBe(0);
  const read = async () => (await admin.readStream({ params: { room_id: roomId } })).data;
  const address = `${revealed.ingest.rtmp_url}/${revealed.ingest.stream_key}`;
  let encoder = await startEncoder(address, async () => (await read()).state === 'live', 25);
  try {
    await expect.poll(() => playedSeconds(page), { timeout: 40_000 }).toBeGreaterThan(1);
    await expect.poll(async () => (await read()).input?.height).toBe(180);
    expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
    encoder.kill('SIGKILL');
    await page.getByText('The broadcast was interrupted.').waitFor({ timeout: 30_000 });
    const played = await playedSeconds(page);
    encoder = await startEncoder(address, async () => (await read()).state === 'live', 25);
    await expect.poll(() => playedSeconds(page), { timeout: 40_000 }).toBeGreaterThan(played + 2);
    await expect.poll(() => page.getByText('The broadcast was interrupted.').count()).toBe(0);
    const { data: meetings } = await admin.listRoomMeetings({ params: { room_id: roomId } });
    expect(meetings[0]).toMatchObject({ room_type: 'live', state: 'open' });
    await admin.endStream({ params: { room_id: roomId } });
    await page.waitForSelector('text=The broadcast has ended', { timeout: 40_000 });
    expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  } finally {
    encoder.kill('SIGKILL');
  }
  await page.close();
}, 200_000);

test('a viewer sees the stream again after an outage of the media server, without a reload', async () => {
  const { admin } = foyer;
  const page = await browser.newPage();
  await openWatchPage(foyer, roomId, page);
  const { data } = await admin.revealStreamKey({ params: { room_id: roomId } });
  const isLive = async () => (await admin.readStream({ params: { room_id: roomId } })).data.state === 'live';
  const encoder = await startEncoder(`${data.ingest.rtmp_url}/${data.ingest.stream_key}`, isLive, 25);
  try {
    await expect.poll(() => playedSeconds(page), { timeout: 40_000 }).toBeGreaterThan(1);
    proxy.interrupt();
    await page.getByText("The media server isn't responding.").waitFor();
    // Long enough for hls.js to give up.
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const played = await playedSeconds(page);
    await proxy.resume();
    await expect.poll(() => playedSeconds(page), { timeout: 40_000 }).toBeGreaterThan(played + 2);
    await expect.poll(() => page.getByText("The media server isn't responding.").count()).toBe(0);
  } finally {
    encoder.kill('SIGKILL');
  }
  await page.close();
}, 150_000);
