import { readFile } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { waitForQuietNetwork } from './network-quiet.ts';
import { openSignedInPage } from './signed-in-page.ts';

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
let roomId: string;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  roomId = (await foyer.admin.listRooms()).data[0]?.id ?? '';
  page = await openSignedInPage(browser, foyer, browserErrors);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
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

async function openTab(name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
}

/** Sends a control request to the sandbox. */
async function controlSandbox(path: string, body: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`${foyer.sandboxUrl}/sandbox/control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBeLessThan(300);
}

/** Joins without a browser: the sandbox adds the user. */
async function joinWithoutBrowser(name: string): Promise<void> {
  const { data } = await foyer.admin.joinRoom({ params: { room_id: roomId }, body: { role: 'moderator', name } });
  const joinResponse = await fetch(data.url, { redirect: 'manual' });
  const sessionToken = new URL(joinResponse.headers.get('location') ?? '').searchParams.get('sessionToken');
  await controlSandbox('users/join', { sessionToken });
}

test('a token is created with a name, times and a number of uses, and shows all of them', async () => {
  await open(`/rooms/${roomId}?tab=tokens`);
  await press('New token');
  await dialog().getByLabel('Name').fill('Ada Lovelace');
  await dialog().getByLabel('Max uses').fill('3');
  await press('Create token', dialog());
  const row = page.getByRole('row', { name: /Ada Lovelace/ });
  await row.getByText('0 of 3').waitFor();
  await row.getByText('always').waitFor();
});

test('the errors of a list are shown row by row, and the list cannot be sent', async () => {
  await press('Create a batch of tokens');
  await dialog()
    .getByLabel('List (CSV)')
    .fill('role,name,max_uses\nattendee,Grace,1\n\nking,Alan,\nattendee,Emmy,none\n');
  await dialog().getByText('2 of 3 rows contain errors.').waitFor();
  // Rows are counted as in a spreadsheet.
  await dialog().getByRole('cell', { name: '4', exact: true }).waitFor();
  await dialog().getByRole('cell', { name: '5', exact: true }).waitFor();
  await dialog().getByText('Use one of these roles').waitFor();
  await expect
    .poll(
      async () =>
        await dialog()
          .getByRole('button', { name: /^Create .*tokens$/ })
          .isDisabled(),
    )
    .toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('a corrected list becomes a batch, whose links can be downloaded as CSV', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => `attendee,Seat ${index + 1},1`).join('\n');
  await dialog().getByLabel('List (CSV)').fill(`role,name,max_uses\n${rows}\n`);
  await dialog().getByLabel('Name of the batch').fill('Lecture');
  await press('Create 40 tokens', dialog());
  const download = page.getByRole('button', { name: 'Download the links of “Lecture” as CSV' });
  await expect.poll(async () => await download.isEnabled()).toBe(true);
  const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
  const lines = (await readFile((await file.path()) ?? '', 'utf8')).trim().split(/\r?\n/);
  expect(lines).toHaveLength(41);
  expect(lines[1]).toContain('/rooms/');
});

test('the tokens of a batch can be listed; when those of the last page are deleted, the list shows the page before', async () => {
  await press('Actions for Lecture');
  await page.getByRole('menuitem', { name: 'Show tokens' }).click();
  await page.getByText('1–25 of 40').waitFor();
  await press('2');
  await page.getByText('26–40 of 40').waitFor();
  const query = { search: 'name:Seat', limit: 25, page: 2, orderBy: 'created_at', sortedBy: 'desc' } as const;
  const { data: tokens } = await foyer.admin.listRoomTokens({ params: { room_id: roomId }, query });
  expect(tokens).toHaveLength(15);
  for (const { id } of tokens) await foyer.admin.deleteRoomToken({ params: { room_id: roomId, token_id: id } });
  await page.getByText('1–25 of 25').waitFor();
});

test('the tokens of a batch are deleted with it', async () => {
  await press('Actions for Lecture');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await press('Delete batch and tokens', dialog());
  await page.getByText('The batch has been deleted with its tokens.').waitFor();
});

test('the join check shows why a link is rejected, or that it works', async () => {
  await open(`/rooms/${roomId}?tab=join-check`);
  await page.getByLabel('Link or token').fill('frm_unknown');
  await press('Test');
  await page.getByText('This person can’t join yet. 1 thing to fix').waitFor();
  await page.getByRole('heading', { name: 'The token is not for this room' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Link or token').fill(foyer.demoLink);
  await press('Test');
  await page.getByText('This person can join').waitFor();
  await page.getByRole('heading', { name: 'What joining would use' }).waitFor();
});

test('a running meeting is listed first with its participants, and is ended after confirmation', async () => {
  await joinWithoutBrowser('Grace Hopper');
  const { uuid: meetingID } = (await foyer.admin.readRoom({ params: { room_id: roomId } })).data;
  await controlSandbox('meetings/record', { meetingID });
  await open('/');
  await page.getByRole('heading', { name: 'Running now' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await open('/meetings');
  const row = page.getByRole('row', { name: /Running/ }).first();
  await row.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Participants' }).waitFor();
  await page.getByRole('row', { name: /Grace Hopper/ }).waitFor({ timeout: 90_000 });
  expect(await accessibilityFaults(page)).toEqual([]);
  await press('End meeting');
  await press('End for everyone', dialog());
  await page.getByText('The meeting has been ended.').waitFor();
  await page.getByText('Ended from the console or through the API').waitFor();
}, 150_000);

test('a provider shows its health, can be checked again, and is drained after an explanation', async () => {
  const [provider] = (await foyer.admin.listServiceProviders()).data;
  await foyer.admin.updateServiceProvider({
    params: { service_provider_id: provider?.id ?? '' },
    body: { pool: 'europe', tags: ['eu'], max_meetings: 10 },
  });
  await open('/service-providers');
  await page.getByRole('heading', { name: 'Pool “europe”' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await open(`/service-providers/${provider?.id}`);
  await press('Check now');
  await page.getByText('The server accepts the shared secret.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await openTab('Meetings');
  await page.getByRole('row', { name: /Ended/ }).first().getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Participants' }).waitFor();
  await open(`/service-providers/${provider?.id}`);
  await openTab('Set-up');
  const draining = page.getByRole('switch', { name: 'Draining' });
  await draining.press(' ');
  await press('Drain', dialog());
  await page.getByText('takes no new meetings now').waitFor();
  await dialog().waitFor({ state: 'hidden' });
  await expect.poll(async () => await draining.isChecked()).toBe(true);
  await draining.press(' ');
  await page.getByText('takes new meetings again').waitFor();
});

test('the branding of a customer has a live preview, and is saved', async () => {
  const [customer] = (await foyer.admin.listCustomers()).data;
  await open(`/customers/${customer?.id}?tab=branding`);
  await page.getByLabel('Brand name').fill('Harbour Academy');
  await page.getByRole('region', { name: 'Preview of a room page' }).getByText('Harbour Academy').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await press('Save branding');
  await page.getByText('The branding has been saved.').waitFor();
  const { data } = await foyer.admin.readCustomer({ params: { customer_id: customer?.id ?? '' } });
  expect(data.customer_settings).toMatchObject({ brand_name: 'Harbour Academy' });
});

test('a room moves to another account of its subscription', async () => {
  const { data: room } = await foyer.admin.readRoom({ params: { room_id: roomId } });
  const { data: account } = await foyer.admin.createAccount({
    body: { account_name: 'Night school', subscription_id: room.subscription_id },
  });
  await open(`/rooms/${roomId}`);
  await press('More actions');
  await page.getByRole('menuitem', { name: 'Move to another account' }).click();
  await dialog().getByRole('combobox', { name: 'Account' }).or(dialog().getByLabel('Account')).first().click();
  await page.getByRole('option', { name: /Night school/ }).waitFor();
  // Not its current account.
  expect(await page.getByRole('option').count()).toBe(1);
  await page.getByRole('option', { name: /Night school/ }).click();
  await press('Move room', dialog());
  await page.getByText('The room has been moved.').waitFor();
  expect((await foyer.admin.readRoom({ params: { room_id: roomId } })).data.account_id).toBe(account.id);
});

test('a recording link lasts as long as chosen, and the dashboard shows a limit that is reached', async () => {
  const { data: room } = await foyer.admin.readRoom({ params: { room_id: roomId } });
  const params = { subscription_id: room.subscription_id };
  const limits = await foyer.admin.listSubscriptionFeatures({ params });
  const recordingLimit = limits.data.find(({ tag }) => tag === 'max_recordings');
  if (recordingLimit) {
    await foyer.admin.updateSubscriptionFeature({
      params: { ...params, feature_id: recordingLimit.id },
      body: { value: 1 },
    });
  } else await foyer.admin.createSubscriptionFeature({ params, body: { tag: 'max_recordings', value: 1 } });
  // The sandbox then sends its callback, and the platform reads the recording immediately.
  await controlSandbox('recordings/finish', {});
  await expect
    .poll(async () => (await foyer.admin.listRoomRecordings({ params: { room_id: roomId } })).data[0]?.state, {
      timeout: 30_000,
    })
    .toBe('published');
  await open('/');
  await page.getByText('Recordings: 1 of 1').waitFor();
  await open(`/rooms/${roomId}?tab=recordings`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await press('Create link');
  await dialog().getByText('15 minutes').click();
  await press('Create link', dialog());
  const url = await dialog().getByRole('textbox', { name: 'Link' }).inputValue();
  const endsAt = Number(new URL(url).searchParams.get('expires')) * 1000;
  expect(Math.abs(endsAt - Date.now() - 15 * 60_000)).toBeLessThan(60_000);
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(302);
});

test('every screen of rooms fits a phone and has no accessibility faults', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    '/',
    '/meetings',
    '/recordings',
    '/service-providers',
    `/rooms/${roomId}?tab=tokens`,
    `/rooms/${roomId}?tab=meetings`,
    `/rooms/${roomId}?tab=recordings`,
    `/rooms/${roomId}?tab=settings`,
    `/rooms/${roomId}?tab=join-check`,
  ]) {
    await open(path);
    await waitForQuietNetwork(page);
    expect(await accessibilityFaults(page), path).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path).toBe(true);
  }
  // The current tab is scrolled into view.
  const box = await page.getByRole('tab', { selected: true }).boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
  expect(browserErrors).toEqual([]);
}, 120_000);
