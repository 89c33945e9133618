import type { ChildProcess } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaultsInBothSchemes } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { makeMediaRoom, startEncoder } from './media-room.ts';
import { openSignedInPage } from './signed-in-page.ts';

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
let encoder: ChildProcess | null = null;
let roomId: string;
/** The rooms to which the outputs send. */
let mainChannel: string;
let secondChannel: string;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer({ withMedia: true }), openBrowser()]);
  await foyer.admin.updateSettings({ body: { media_allow_private_addresses: true } });
  roomId = await makeMediaRoom(foyer, 'simulcast', { max_outputs: '5', stream_minutes: '100' });
  mainChannel = await makeMediaRoom(foyer, 'live', {
    stream_minutes: '100',
    viewer_minutes: '100',
    recording: 'true',
    max_recordings: '5',
    max_storage: '1',
  });
  await foyer.admin.updateStream({ params: { room_id: mainChannel }, body: { record: true } });
  const { data: room } = await foyer.admin.readRoom({ params: { room_id: mainChannel } });
  const body = { room_name: 'Second channel', account_id: room.account_id };
  secondChannel = (await foyer.admin.createRoom({ body })).data.id;
  page = await openSignedInPage(browser, foyer, browserErrors);
}, 120_000);
afterAll(async () => {
  encoder?.kill('SIGKILL');
  await browser.close();
  await foyer.stop();
});

async function ingestOf(room_id: string) {
  const { rtmp_url: url, stream_key } = (await foyer.admin.revealStreamKey({ params: { room_id } })).data.ingest;
  return { url: url ?? '', stream_key };
}

async function stateOf(room_id: string): Promise<string> {
  return (await foyer.admin.readStream({ params: { room_id } })).data.state;
}

async function findOutput(name: string) {
  const { data } = await foyer.admin.listOutputs({ params: { room_id: roomId } });
  return data.find((output) => output.name === name);
}

test('an output that is deleted in the console while live no longer gets the picture, and the others are not interrupted', async () => {
  const params = { room_id: roomId };
  for (const [name, target] of [
    ['Main channel', mainChannel],
    ['Second channel', secondChannel],
  ] as const) {
    await foyer.admin.createOutput({ params, body: { name, platform: 'custom', ...(await ingestOf(target)) } });
  }
  const { url, stream_key } = await ingestOf(roomId);
  encoder = await startEncoder(`${url}/${stream_key}`, async () => (await stateOf(roomId)) === 'live', 50);
  await expect.poll(() => stateOf(mainChannel), { timeout: 60_000 }).toBe('live');
  await expect.poll(() => stateOf(secondChannel), { timeout: 60_000 }).toBe('live');
  await page.goto(`${foyer.url}/console/rooms/${roomId}?tab=outputs`);
  await expect.poll(() => page.getByText(/kbit\/s · .* sent$/).count(), { timeout: 30_000 }).toBe(2);
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  const before = await findOutput('Main channel');
  await page.getByRole('button', { name: 'Actions for Second channel' }).click();
  await page.getByRole('menuitem', { name: 'Delete output' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete output', exact: true }).click();
  await page.getByText('Second channel has been deleted.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Actions for Second channel' }).count()).toBe(0);
  await expect.poll(() => stateOf(secondChannel), { timeout: 30_000 }).not.toBe('live');
  const after = await findOutput('Main channel');
  expect(after).toMatchObject({ state: 'live', since: before?.since });
  await expect
    .poll(async () => (await findOutput('Main channel'))?.bytes_sent ?? 0, { timeout: 30_000 })
    .toBeGreaterThan(after?.bytes_sent ?? 0);
  expect(await stateOf(mainChannel)).toBe('live');
}, 200_000);

test('the console shows no viewer count for the stream of a simulcast room', async () => {
  await page.getByRole('tab', { name: 'Stream' }).click();
  const status = page.getByRole('region', { name: 'State of the stream' });
  await status.getByText('Bitrate').waitFor({ timeout: 30_000 });
  expect(await status.innerText()).not.toMatch(/viewer/i);
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('region', { name: 'Live status' }).waitFor();
  expect(await page.getByRole('region', { name: 'Live status' }).innerText()).not.toMatch(/viewer|watched/i);
});

test('the recording of a broadcast is copied to a video room', async () => {
  const { admin } = foyer;
  const videoRoom = await makeMediaRoom(foyer, 'video', {
    max_videos: '5',
    max_storage: '1',
    transcoding_minutes: '100',
  });
  encoder?.kill('SIGKILL');
  await admin.endStream({ params: { room_id: mainChannel } });
  const recording = async () => (await admin.listRoomRecordings({ params: { room_id: mainChannel } })).data[0];
  await expect.poll(async () => (await recording())?.state, { timeout: 60_000 }).toBe('published');
  await page.goto(`${foyer.url}/console/recordings/${(await recording())?.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await page.getByRole('menuitem', { name: 'Copy to a video room…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Video room' }).fill('Room for');
  await page.getByRole('option', { name: 'Room for video' }).click();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy recording' }).click();
  await page.getByText('The recording is being copied.').waitFor();
  await page.waitForURL(/\/videos\//);
  const videos = async () => (await admin.listRoomVideos({ params: { room_id: videoRoom } })).data;
  await expect.poll(async () => (await videos())[0]?.state, { timeout: 90_000 }).toBe('ready');
  expect(browserErrors).toEqual([]);
}, 200_000);
