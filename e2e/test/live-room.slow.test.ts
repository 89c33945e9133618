import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { locatePrograms } from '../../media/src/ffmpeg/locate.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';

let foyer: RunningFoyer;
let browser: Browser;
let roomId: string;

beforeAll(async () => {
  foyer = await startFoyer({ withMedia: true });
  browser = await openBrowser();
  roomId = await makeLiveRoom();
});
afterAll(async () => {
  await browser.close();
  await foyer.stop();
});

async function makeLiveRoom(): Promise<string> {
  const { admin } = foyer;
  const { data: providers } = await admin.listServiceProviders({ query: { search: 'service_type:live' } });
  const { data: sold } = await admin.createServicePackage({
    body: { name: 'Broadcasts', tag: 'broadcasts-for-test', service_type: 'live' },
  });
  const params = { service_package_id: sold.id };
  const features = {
    max_accounts: '5',
    max_rooms: '5',
    stream_minutes: '100',
    viewer_minutes: '100',
    low_latency: 'true',
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
    body: { account_name: 'Studio', subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({
    body: { room_name: 'Town hall', account_id: account.id, is_public: true },
  });
  return room.id;
}

/** An encoder that sends test pictures. */
async function publish(address: string): Promise<ChildProcess> {
  const { ffmpeg } = await locatePrograms({ ffmpegPath: null, ffprobePath: null });
  const sources = '-re -f lavfi -i testsrc2=size=320x180:rate=25 -f lavfi -i sine=frequency=440';
  const codecs = '-c:v libx264 -preset ultrafast -tune zerolatency -g 25 -pix_fmt yuv420p -c:a aac -t 60 -f flv';
  return spawn(ffmpeg.path, ['-v', 'error', ...`${sources} ${codecs}`.split(' '), address], { stdio: 'ignore' });
}

/** Retries while it is refused, as encoders do: the media server gets to know a new stream a moment later. */
async function publishUntilAccepted(address: string, isLive: () => Promise<boolean>): Promise<ChildProcess> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const encoder = await publish(address);
    const ended = once(encoder, 'exit').then(() => true);
    while (!(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500, false))])))
      if (await isLive()) return encoder;
  }
  throw new Error('The encoder was refused.');
}

async function playedSeconds(page: Page): Promise<number> {
  return await page.evaluate(() => document.querySelector<HTMLVideoElement>('hls-video')?.currentTime ?? 0);
}

test('a viewer waits for the encoder, watches as soon as it sends, and is told when it stopped', async () => {
  const { admin } = foyer;
  const { data: room } = await admin.readRoom({ params: { room_id: roomId } });
  const page = await browser.newPage();
  await page.goto(room.url);
  await page.fill('#name', 'Vera Viewer');
  await page.click('main button[type=submit]');
  await page.waitForURL(/\/watch\//);
  await page.waitForSelector('text=The stream has not started yet');
  const { data: stream } = await admin.readStream({ params: { room_id: roomId } });
  expect(stream).toMatchObject({ object: 'Stream', state: 'idle', ingest: { stream_key: '********' } });
  const { data: revealed } = await admin.revealStreamKey({ params: { room_id: roomId } });
  const wrong = await publish(`${revealed.ingest.rtmp_url}/${revealed.ingest.stream_key}x`);
  expect((await once(wrong, 'exit'))[0]).not.toBe(0);
  const read = async () => (await admin.readStream({ params: { room_id: roomId } })).data;
  const address = `${revealed.ingest.rtmp_url}/${revealed.ingest.stream_key}`;
  const encoder = await publishUntilAccepted(address, async () => (await read()).state === 'live');
  try {
    await expect.poll(() => playedSeconds(page), { timeout: 40_000 }).toBeGreaterThan(1);
    await expect.poll(async () => (await read()).input?.height).toBe(180);
    const { data: meetings } = await admin.listRoomMeetings({ params: { room_id: roomId } });
    expect(meetings[0]).toMatchObject({ room_type: 'live', state: 'open' });
    await admin.endStream({ params: { room_id: roomId } });
    await page.waitForSelector('text=The session has ended', { timeout: 40_000 });
  } finally {
    encoder.kill('SIGKILL');
  }
  await page.close();
});
