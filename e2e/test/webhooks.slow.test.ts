import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { waitForQuietNetwork } from './network-quiet.ts';
import { openSignedInPage } from './signed-in-page.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
let webhookUrl: string;
let secret: string;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];

/** The server of a customer that receives events. */
const received: Received[] = [];
let status = 200;
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ headers: request.headers, body });
    response.writeHead(status).end(status === 200 ? '{"received":true}' : 'The ledger is locked');
  });
});

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  await foyer.admin.updateSettings({ body: { webhooks_allow_private_addresses: true } });
  page = await openSignedInPage(browser, foyer, browserErrors);
});
afterAll(async () => {
  await browser.close();
  receiver.closeAllConnections();
  receiver.close();
  expect(await foyer.stop()).toBe(0);
});

async function open(path: string): Promise<void> {
  await page.goto(`${foyer.url}/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function press(name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
}

async function choose(item: RegExp): Promise<void> {
  await press('More actions');
  await page.getByRole('menuitem', { name: item }).click();
}

/** Reads the secret from the dialog that shows it once, and closes the dialog. */
async function takeSecret(): Promise<string> {
  const text = await page.getByLabel('Secret', { exact: true }).textContent();
  await press('I have it');
  return text ?? '';
}

async function renameRoom(name: string): Promise<void> {
  const { data: rooms } = await foyer.admin.listRooms({ query: { limit: 1 } });
  await foyer.admin.updateRoom({ params: { room_id: rooms[0]?.id ?? '' }, body: { room_name: name } });
}

function verify(request: Received | undefined, key: string): unknown {
  return new Webhook(key).verify(request?.body ?? '', request?.headers as Record<string, string>);
}

test('a webhook is created with events from the picker, and its secret is shown once', async () => {
  await open('/webhooks');
  await press('New webhook');
  const dialog = page.getByRole('dialog');
  await press('Create webhook');
  await dialog.getByText('Required').first().waitFor();
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
  await dialog.getByRole('textbox', { name: 'Address' }).fill(address);
  await dialog.getByRole('searchbox', { name: 'Find an event' }).fill('room.');
  // By keyboard, since the groups that the search opens still move.
  await dialog.getByLabel('room.updated').press('Space');
  expect(await accessibilityFaults(page)).toEqual([]);
  await press('Create webhook');
  secret = await takeSecret();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('heading', { level: 1, name: address.replace('http://', '') }).waitFor();
  webhookUrl = new URL(page.url()).pathname.replace('/console', '');
  expect(await page.content()).not.toContain(secret);
}, 60_000);

test('a delivery appears with its request and the response of the receiver', async () => {
  await renameRoom('Sent to the receiver');
  await page.getByRole('row', { name: /room\.updated.*Delivered.*200/ }).waitFor();
  expect(verify(received[0], secret)).toMatchObject({ type: 'room.updated' });
  await page.getByRole('button', { name: 'room.updated' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('"Sent to the receiver"').waitFor();
  await drawer.getByText('{"received":true}').waitFor();
  await drawer.getByText(String(received[0]?.headers['webhook-id']), { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
}, 60_000);

test('a failed delivery shows why, and is sent again on request', async () => {
  status = 500;
  await renameRoom('Refused by the receiver');
  await page.getByText('The last delivery failed').waitFor();
  await page.getByRole('row', { name: /room\.updated.*Pending.*500/ }).waitFor();
  await page.getByRole('button', { name: 'room.updated' }).first().click();
  await page.getByText('The ledger is locked').first().waitFor();
  status = 200;
  await press('Send now');
  await page.getByText('The event is being sent again.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /room\.updated.*Pending/ }).waitFor({ state: 'detached' });
  await page.getByText('The last delivery failed').waitFor({ state: 'detached' });
}, 60_000);

test('a test event is sent immediately, and the response is shown', async () => {
  await press('Send a test');
  await press('Send test');
  await page.getByText('The receiver accepted the test.').waitFor();
  expect(received.at(-1)?.body).toContain('"test":true');
  await press('Close');
});

test('failed deliveries since a chosen time are sent again', async () => {
  await choose(/Send failed deliveries again/);
  await press('Send again');
  await page.getByText('Nothing has failed since then.').waitFor();
});

test('after a rotation, requests are signed with both secrets for the chosen time', async () => {
  await choose(/New secret/);
  await press('Create new secret');
  const second = await takeSecret();
  expect(second).not.toBe(secret);
  const before = received.length;
  await renameRoom('Signed twice');
  await expect.poll(() => received.length).toBeGreaterThan(before);
  for (const key of [secret, second]) expect(verify(received.at(-1), key)).toMatchObject({ type: 'room.updated' });
}, 60_000);

test('a receiver that returns 410 disables the webhook, which says so and can be enabled again', async () => {
  status = 410;
  await renameRoom('Gone');
  await page.getByText('This webhook gets no events').waitFor();
  await page.getByText('The receiver answered 410').first().waitFor();
  status = 200;
  await press('Enable again');
  await page.getByText('This webhook gets no events').waitFor({ state: 'detached' });
  const before = received.length;
  await renameRoom('Back again');
  await expect.poll(() => received.length).toBeGreaterThan(before);
}, 60_000);

test('mails that cannot be sent are kept and shown, with their text', async () => {
  await open('/settings?tab=mail');
  await page.getByText('Mails are not sent').waitFor();
  await page.getByRole('link', { name: 'A webhook was disabled' }).click();
  await page.getByText('Plain text').click();
  await page.getByText('Events are no longer sent to').waitFor();
  await waitForQuietNetwork(page);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('without a mail server, an invitation shows its link, and its mail with the calendar entry is kept', async () => {
  const { data: rooms } = await foyer.admin.listRooms({ query: { limit: 1 } });
  await open(`/rooms/${rooms[0]?.id}`);
  await press('Invite');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Email addresses' }).fill('ada@example.org');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Starts').fill('2035-01-02T10:00');
  await press('Send invitations');
  await page.getByRole('dialog').getByText('no mail server is set up').waitFor();
  await page
    .getByRole('dialog')
    .getByText(rooms[0]?.url ?? '')
    .waitFor();
  await press('Done');
  await open('/settings?tab=mail');
  await page.getByRole('link', { name: /^Invitation: / }).click();
  await page.getByText('invite.ics').waitFor();
});

test('a kind of notification can be switched off for the platform', async () => {
  await open('/settings?tab=notifications');
  await page.getByRole('switch', { name: 'Webhook disabled' }).click();
  await press('Save notifications');
  await page.getByText('Notifications saved').or(page.getByText('Saved')).first().waitFor();
  expect((await foyer.admin.readSettings()).data.notifications['webhook_disabled']).toBe(false);
  await waitForQuietNetwork(page);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('screens of webhooks and mails fit on a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ['/webhooks', webhookUrl, `${webhookUrl}?tab=settings`, '/settings?tab=mail']) {
    await open(path);
    await waitForQuietNetwork(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await accessibilityFaults(page)).toEqual([]);
  }
}, 60_000);

test('no page had a script error', () => {
  expect(browserErrors).toEqual([]);
});
