import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { dropFiles } from './drop-files.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { makeClip, makeMediaRoom, startEncoder } from './media-room.ts';
import { waitForQuietNetwork } from './network-quiet.ts';
import { openSignedInPage } from './signed-in-page.ts';

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
let folder: string;
let videoRoom: string;
let streamRoom: string;
let encoder: ChildProcess | null = null;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer({ withMedia: true }), openBrowser()]);
  folder = await mkdtemp(join(tmpdir(), 'foyer-clips-'));
  videoRoom = await makeMediaRoom(foyer, 'video', {
    max_videos: '2',
    max_storage: '1',
    transcoding_minutes: '100',
    viewer_minutes: '1000',
    download: 'true',
  });
  streamRoom = await makeMediaRoom(foyer, 'simulcast', {
    max_outputs: '5',
    max_viewers: '10',
    stream_minutes: '100',
    viewer_minutes: '100',
  });
  page = await openSignedInPage(browser, foyer, browserErrors);
}, 120_000);
afterAll(async () => {
  encoder?.kill('SIGKILL');
  await browser.close();
  await foyer.stop();
  await rm(folder, { recursive: true, force: true });
});

async function open(path: string): Promise<void> {
  await page.goto(`${foyer.url}/console${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

function dialog(): Locator {
  return page.getByRole('dialog');
}

async function press(name: string | RegExp, within: Page | Locator = page): Promise<void> {
  await within.getByRole('button', { name, exact: typeof name === 'string' }).click();
}

/** @param buttonName the button that opens the file chooser */
async function chooseFiles(buttonName: string, ...paths: string[]): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(buttonName)]);
  await chooser.setFiles(paths);
}

async function listVideos() {
  return (await foyer.admin.listRoomVideos({ params: { room_id: videoRoom } })).data;
}

/** How far the preview has played, in seconds. */
async function playedSeconds(): Promise<number> {
  const player = page.frameLocator('iframe').locator('hls-video');
  return await player.evaluate((element) => (element as HTMLVideoElement).currentTime);
}

test('the stream of a room without stream minutes says that it cannot go live', async () => {
  const liveRoom = await makeMediaRoom(foyer, 'live', { viewer_minutes: '100' });
  await open(`/rooms/${liveRoom}?tab=stream`);
  await page.getByText('This room can’t go live').waitFor();
  await page.getByText(/The limit “Stream minutes” is 0/).waitFor();
});

test('an upload that a reload interrupted continues at the last received byte when its file is chosen again', async () => {
  const clip = join(folder, 'Lesson_14.mp4');
  await makeClip(clip, 8);
  // Throttled, so that the upload can be interrupted.
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await open(`/rooms/${videoRoom}`);
  await page.getByText('No videos yet').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 60_000 };
  await network.send('Network.emulateNetworkConditions', slow);
  await chooseFiles('Choose files', clip);
  await press('Pause Lesson_14.mp4');
  await page.getByText(/^Paused/).waitFor();
  await press('Resume Lesson_14.mp4');
  await page.getByText(/kB\/s/).waitFor();
  await expect.poll(async () => (await listVideos())[0]?.state).toMatch(/awaiting-upload|uploading/);
  await page.reload();
  await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await page.getByText('Interrupted. Choose the file again').waitFor();
  await chooseFiles('Continue Lesson_14.mp4', clip);
  await page.getByText('Uploaded. The list below').waitFor();
  const [video, ...moreVideos] = await listVideos();
  expect(video?.name).toBe('Lesson 14');
  expect(moreVideos).toEqual([]);
  await network.detach();
});

test('a processed video plays in the preview, and the current picture can be made its poster', async () => {
  await expect.poll(async () => (await listVideos())[0]?.state, { timeout: 90_000, interval: 1000 }).toBe('ready');
  await page.getByRole('link', { name: 'Lesson 14' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lesson 14' }).waitFor();
  await press('Start preview');
  await page.frameLocator('iframe').locator('media-play-button:visible').first().click();
  await expect.poll(playedSeconds, { timeout: 30_000 }).toBeGreaterThan(1);
  const download = await page.getByRole('link', { name: 'Download' }).getAttribute('href');
  expect((await fetch(download ?? '', { method: 'HEAD' })).status).toBe(200);
  const before = (await listVideos())[0]?.poster_url;
  await press('Use the preview’s picture');
  await page.getByText('The poster has been set.').waitFor();
  expect((await listVideos())[0]?.poster_url).not.toBe(before);
  expect(await accessibilityFaults(page)).toEqual([]);
}, 150_000);

test('captions are added and deleted, and the description is saved', async () => {
  const captions = join(folder, 'lesson.pt-BR.vtt');
  await writeFile(captions, 'WEBVTT\n\n00:00.000 --> 00:02.000\nBom dia\n');
  await press('Add captions');
  await Promise.all([page.waitForEvent('filechooser'), press('Choose a file', dialog())]).then(([chooser]) =>
    chooser.setFiles(captions),
  );
  // The language is taken from the file name.
  await press('Add captions', dialog());
  await page.getByText('The captions have been saved.').waitFor();
  expect((await listVideos())[0]?.captions).toMatchObject([{ language: 'pt-BR' }]);
  await press(/^Delete the captions/);
  await press('Delete captions', dialog());
  await page.getByText('No captions yet.').waitFor();
  await press('Edit');
  await dialog().getByLabel('Description').fill('The past tenses');
  await press('Save', dialog());
  await expect.poll(async () => (await listVideos())[0]?.description).toBe('The past tenses');
});

test('an upload that the platform refuses shows the reason, and the following ones continue', async () => {
  const [note, empty, clip] = ['notes.txt', 'empty.mp4', 'Second.mp4'].map((name) => join(folder, name));
  await writeFile(note ?? '', 'not a video');
  await writeFile(empty ?? '', '');
  await makeClip(clip ?? '', 2);
  await open(`/rooms/${videoRoom}`);
  await chooseFiles('Choose files', note ?? '', empty ?? '', clip ?? '');
  await page.getByText('The file is empty.').waitFor();
  await page.getByText('Uploaded. The list below').waitFor();
  expect(await page.getByRole('alert').count()).toBe(2);
  // The subscription allows two videos.
  await chooseFiles('Choose files', clip ?? '');
  await page.getByRole('alert').nth(2).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect((await listVideos()).map(({ name }) => name).toSorted()).toEqual(['Lesson 14', 'Second']);
});

test('a video is deleted after confirmation', async () => {
  const second = (await listVideos()).find(({ name }) => name === 'Second');
  await open(`/videos/${second?.id}`);
  await press('More actions');
  await page.getByRole('menuitem', { name: 'Delete video' }).click();
  await press('Delete video', dialog());
  await expect.poll(async () => (await listVideos()).length).toBe(1);
});

test('a file that is dropped on the videos of a room is uploaded', async () => {
  const clip = join(folder, 'Dropped.mp4');
  await makeClip(clip, 1);
  await open(`/rooms/${videoRoom}`);
  await dropFiles(page.getByRole('region', { name: 'Upload videos' }), clip);
  await expect.poll(async () => (await listVideos()).map(({ name }) => name)).toContain('Dropped');
});

test('the stream key is masked, shown, and replaced after confirmation', async () => {
  await open(`/rooms/${streamRoom}`);
  await page.getByText('Waiting for the encoder').waitFor();
  expect(await page.getByText('••••••••••••').count()).toBe(1);
  await press('Show the stream key');
  await page.getByRole('button', { name: 'Copy the stream key' }).waitFor();
  const params = { room_id: streamRoom };
  const before = (await foyer.admin.revealStreamKey({ params })).data.ingest.stream_key;
  await page.getByText(before).waitFor();
  await press('New key');
  await press('Replace key', dialog());
  await page.getByText('The stream has a new key.').waitFor();
  const after = (await foyer.admin.revealStreamKey({ params })).data.ingest.stream_key;
  expect(after).not.toBe(before);
  await page.getByText(after).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('an output is added from a preset, switched off, and its key is never shown', async () => {
  await page.getByRole('tab', { name: 'Outputs' }).click();
  await press('Add output');
  await press(/^YouTube/, dialog());
  await dialog().getByRole('textbox', { name: 'Stream key' }).fill('abcd-efgh-ijkl');
  await dialog().getByRole('switch', { name: 'Enabled' }).press(' ');
  await press('Add output', dialog());
  await page.getByText('YouTube has been added.').waitFor();
  await page.getByText('rtmps://a.rtmps.youtube.com/live2').waitFor();
  await press('Actions for YouTube');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog().getByLabel('Name').fill('School channel');
  expect(await dialog().getByRole('textbox', { name: 'Stream key' }).inputValue()).toBe('');
  expect(await accessibilityFaults(page)).toEqual([]);
  await press('Save', dialog());
  await page.getByText('School channel', { exact: true }).waitFor();
  const outputs = async () => (await foyer.admin.listOutputs({ params: { room_id: streamRoom } })).data;
  expect(await outputs()).toMatchObject([
    { name: 'School channel', platform: 'youtube', enabled: false, stream_key: '********' },
  ]);
});

test('a source that cannot be fetched is shown with the reason, until it is removed', async () => {
  const params = { room_id: streamRoom };
  await foyer.admin.updateSettings({ body: { media_allow_private_addresses: true } });
  await foyer.admin.updateStream({ params, body: { source: { url: 'rtmp://127.0.0.1:9/live/absent' } } });
  await open(`/rooms/${streamRoom}?tab=stream`);
  const status = page.getByRole('region', { name: 'State of the stream' });
  await status.getByText('The source refuses connections.').waitFor({ timeout: 30_000 });
  expect(await accessibilityFaults(page)).toEqual([]);
  expect((await foyer.admin.updateStream({ params, body: { source: null } })).data.source_error).toBe(null);
  await status.getByText('Waiting for the encoder').waitFor();
}, 60_000);

test('the stream of an encoder is shown with its warnings and plays in the preview, and a broadcast is ended after confirmation', async () => {
  const { data: stream } = await foyer.admin.revealStreamKey({ params: { room_id: streamRoom } });
  await open(`/rooms/${streamRoom}`);
  const { rtmp_url: server, stream_key: key } = stream.ingest;
  const read = async () => (await foyer.admin.readStream({ params: { room_id: streamRoom } })).data;
  encoder = await startEncoder(`${server}/${key}`, async () => (await read()).state === 'live');
  await page.getByRole('region', { name: 'State of the stream' }).getByText('Live').waitFor({ timeout: 30_000 });
  await page.getByText('320 × 180').waitFor({ timeout: 20_000 });
  await page.getByText('Set the keyframe interval to 2 s in OBS').first().waitFor({ timeout: 40_000 });
  await press('Start preview');
  await expect.poll(playedSeconds, { timeout: 30_000 }).toBeGreaterThan(0.5);
  await press('Close preview');
  expect(await accessibilityFaults(page)).toEqual([]);
  await press('End broadcast');
  await press('End broadcast', dialog());
  await page.getByText('The broadcast has been ended.').waitFor();
  await page.getByText('Waiting for the encoder').waitFor({ timeout: 30_000 });
}, 150_000);

test('the console may only connect to the media server and to the platform', async () => {
  const { data: stream } = await foyer.admin.readStream({ params: { room_id: streamRoom } });
  const { origin } = new URL(stream.ingest.whip_url ?? '');
  const policy = (await fetch(`${foyer.url}/console/`)).headers.get('content-security-policy')?.split('; ');
  expect(policy).toContain(`connect-src 'self' ${origin}`);
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
});

test('the screens of videos and streams fit a phone and have no accessibility faults', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const [video] = await listVideos();
  const paths = ['/videos', `/videos/${video?.id}`, `/rooms/${videoRoom}`, `/rooms/${streamRoom}`];
  for (const path of [...paths, `/rooms/${streamRoom}?tab=outputs`]) {
    await open(path);
    await waitForQuietNetwork(page);
    expect(await accessibilityFaults(page), path).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path).toBe(true);
  }
  expect(browserErrors).toEqual([]);
}, 60_000);
