import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, accessibilityFaultsInBothSchemes } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { dropFiles } from './drop-files.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { makeClip, makeMediaRoom } from './media-room.ts';

const password = 'difference engine no. 2';
let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
let folder: string;
let roomId: string;

beforeAll(async () => {
  foyer = await startFoyer({ withMedia: true });
  browser = await openBrowser();
  page = await (await browser.newContext({ bypassCSP: false })).newPage();
  folder = await mkdtemp(join(tmpdir(), 'foyer-uploads-'));
  roomId = await makeMediaRoom(foyer, 'video', {
    max_videos: '2',
    max_storage: '1',
    transcoding_minutes: '100',
    viewer_minutes: '1000',
  });
});
afterAll(async () => {
  await browser.close();
  await foyer.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Creates a user of the room with these rights. @returns the email address */
async function createMember(name: string, rights: readonly ('read-room' | 'manage-videos')[]): Promise<string> {
  const email = `${name}@studio.example`;
  const { data: user } = await foyer.admin.createUser({
    body: { email, first_name: name, last_name: 'Studio', password },
  });
  const { data: customers } = await foyer.admin.listCustomers();
  await foyer.admin.createCustomerUser({
    params: { customer_id: customers[0]?.id ?? '' },
    body: { user_id: user.id, permissions: ['read-customer'] },
  });
  await foyer.admin.createRoomUser({
    params: { room_id: roomId },
    body: { user_id: user.id, permissions: [...rights] },
  });
  return email;
}

async function listVideos() {
  return (await foyer.admin.listRoomVideos({ params: { room_id: roomId } })).data;
}

async function signIn(target: Page, email: string): Promise<void> {
  const { data: room } = await foyer.admin.readRoom({ params: { room_id: roomId } });
  await target.goto(`${room.url}/uploads`);
  await target.locator('#email').fill(email);
  await target.locator('#password').fill(password);
  await target.locator('#password').press('Enter');
  await target.getByText('Signed in as').waitFor();
}

async function choose(label: string, ...paths: string[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByText(label, { exact: true }).click(),
  ]);
  await chooser.setFiles(paths);
}

test('a user who may manage videos uploads on the room page, and continues after a reload where the upload stopped', async () => {
  await signIn(page, await createMember('ada', ['read-room', 'manage-videos']));
  await page.getByRole('link', { name: 'Upload videos' }).click();
  await page.getByText('Drop video files here').waitFor();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  const clip = join(folder, 'Lesson_15.mp4');
  await makeClip(clip, 8);
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 60_000 };
  await network.send('Network.emulateNetworkConditions', slow);
  await choose('Choose files', clip);
  await page.getByText(/kB\/s|KB\/s/i).waitFor();
  await page.getByRole('button', { name: 'Pause Lesson_15.mp4' }).click();
  await page.getByText(/^Paused/).waitFor();
  await page.getByRole('button', { name: 'Resume Lesson_15.mp4' }).click();
  await expect.poll(async () => (await listVideos())[0]?.state).toMatch(/awaiting-upload|uploading/);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await page.getByText('Interrupted. Choose the file again').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.locator('li').getByText('Choose files').click(),
  ]);
  await chooser.setFiles(clip);
  await page.getByText('Uploaded. Once processed').waitFor();
  expect((await listVideos()).map(({ name }) => name)).toEqual(['Lesson 15']);
  await expect.poll(async () => (await listVideos())[0]?.state, { timeout: 90_000, interval: 1000 }).toBe('ready');
  await network.detach();
}, 150_000);

test('a file that is dropped on the page is uploaded', async () => {
  const clip = join(folder, 'dropped.mp4');
  await makeClip(clip, 1);
  await page.reload();
  await dropFiles(page.locator('.uploads'), clip);
  await page.getByText('Uploaded. Once processed').waitFor();
  expect((await listVideos()).map(({ name }) => name).toSorted()).toEqual(['Lesson 15', 'dropped']);
});

test('a file above a limit is rejected with a reason, and creates no video', async () => {
  const clip = join(folder, 'second.mp4');
  await makeClip(clip, 1);
  await choose('Choose files', clip);
  await page.getByText("This subscription can't hold any more videos.").waitFor();
  await page.getByRole('button', { name: 'Cancel second.mp4' }).click();
  await expect.poll(() => page.getByText('second.mp4').count()).toBe(0);
  expect(await listVideos()).toHaveLength(2);
});

test('a user without the right sees neither the link nor the page', async () => {
  const otherPage = await (await browser.newContext()).newPage();
  await signIn(otherPage, await createMember('ben', ['read-room']));
  expect(await otherPage.getByRole('link', { name: 'Upload videos' }).count()).toBe(0);
  const { data: room } = await foyer.admin.readRoom({ params: { room_id: roomId } });
  expect((await otherPage.goto(`${room.url}/uploads`))?.status()).toBe(403);
  await otherPage
    .getByText('You can’t upload videos here')
    .or(otherPage.getByText("You can't upload videos here"))
    .waitFor();
  await otherPage.context().close();
});
