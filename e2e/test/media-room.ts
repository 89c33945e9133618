import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { locatePrograms } from '../../media/src/ffmpeg/locate.ts';
import type { RunningFoyer } from './foyer.ts';

type MediaType = 'video' | 'live' | 'simulcast';

/** Creates a public room in a new subscription with the features. @returns the id of the room */
export async function makeMediaRoom(
  { admin }: RunningFoyer,
  type: MediaType,
  features: Readonly<Record<string, string>>,
): Promise<string> {
  const { data: providers } = await admin.listServiceProviders({ query: { search: `service_type:${type}` } });
  const { data: servicePackage } = await admin.createServicePackage({
    body: { name: `Sold for ${type}`, tag: `sold-for-${type}`, service_type: type },
  });
  const params = { service_package_id: servicePackage.id };
  for (const [tag, value] of Object.entries({ max_accounts: '5', max_rooms: '5', ...features }))
    await admin.createServicePackageFeature({ params, body: { tag, value } });
  await admin.createServicePackageProvider({
    params,
    body: { service_provider_id: providers[0]?.id ?? '', default: true },
  });
  const { data: customers } = await admin.listCustomers();
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customers[0]?.id ?? '' },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: `Studio for ${type}`, subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({
    body: { room_name: `Room for ${type}`, account_id: account.id, is_public: true },
  });
  return room.id;
}

/** Writes a clip of test pictures and sound. */
export async function makeClip(path: string, seconds: number): Promise<void> {
  const { ffmpeg } = await locatePrograms({ ffmpegPath: null, ffprobePath: null });
  const sources = `-f lavfi -i testsrc2=size=640x360:rate=25 -f lavfi -i sine=frequency=440 -t ${seconds}`;
  const codecs = '-c:v libx264 -preset ultrafast -g 50 -pix_fmt yuv420p -c:a aac';
  await promisify(execFile)(ffmpeg.path, ['-v', 'error', '-y', ...`${sources} ${codecs}`.split(' '), path]);
}

/** Starts an encoder, and retries while it is rejected: the media server learns of a new stream with a delay. */
export async function startEncoder(
  address: string,
  isLive: () => Promise<boolean>,
  keyframeFrames?: number,
): Promise<ChildProcess> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const encoder = await sendTestPictures(address, keyframeFrames);
    const ended = once(encoder, 'exit').then(() => true);
    while (!(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1000, false))])))
      if (await isLive()) return encoder;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error('The encoder was rejected.');
}

/** Starts an encoder that sends 25 test pictures per second, by default with a keyframe every three seconds. */
export async function sendTestPictures(address: string, keyframeFrames = 75): Promise<ChildProcess> {
  const { ffmpeg } = await locatePrograms({ ffmpegPath: null, ffprobePath: null });
  const sources = '-re -f lavfi -i testsrc2=size=320x180:rate=25 -f lavfi -i sine=frequency=440';
  const keyframes = `-g ${keyframeFrames} -keyint_min ${keyframeFrames}`;
  const codecs = `-c:v libx264 -preset ultrafast -tune zerolatency ${keyframes} -pix_fmt yuv420p -c:a aac -t 120 -f flv`;
  return spawn(ffmpeg.path, ['-v', 'error', ...`${sources} ${codecs}`.split(' '), address], { stdio: 'ignore' });
}

/** How far the player of a watch page has played, in seconds. */
export async function playedSeconds(page: Page): Promise<number> {
  return await page.evaluate(() => document.querySelector<HTMLVideoElement>('hls-video')?.currentTime ?? 0);
}

/** Opens the page of the room and joins as a viewer. */
export async function openWatchPage({ admin }: RunningFoyer, roomId: string, page: Page): Promise<void> {
  const { data: room } = await admin.readRoom({ params: { room_id: roomId } });
  await page.goto(room.url);
  await page.fill('#name', 'Vera Viewer');
  await page.click('main button[type=submit]');
  await page.waitForURL(/\/watch\//);
}
