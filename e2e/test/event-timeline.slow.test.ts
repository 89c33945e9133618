import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { credentials, type RunningFoyer, startFoyer } from './foyer.ts';
import { openSignedInPage } from './signed-in-page.ts';

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
let roomId: string;
let customerId: string;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  page = await openSignedInPage(browser, foyer, browserErrors);
  const { data: accounts } = await foyer.admin.listAccounts({ query: { limit: 1 } });
  const { data: room } = await foyer.admin.createRoom({
    body: { account_id: accounts[0]?.id ?? '', room_name: 'Physics', room_type: 'meet' },
  });
  roomId = room.id;
  customerId = room.customer_id;
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

const path = () => `${foyer.url}/console/rooms/${roomId}?tab=events`;
const timeline = () => page.getByRole('list', { name: 'Events, newest first' });

async function rename(name: string): Promise<void> {
  await foyer.admin.updateRoom({ params: { room_id: roomId }, body: { room_name: name } });
}

test('a change of a room appears at the top of its open timeline, and is announced', async () => {
  await page.goto(path());
  await timeline().getByText('created room Physics').waitFor();
  expect(await page.getByRole('status').filter({ hasText: 'room' }).count()).toBe(0);
  await rename('Chemistry');
  await timeline().getByText('changed the name of room Chemistry').waitFor();
  expect(await timeline().getByRole('listitem').nth(1).innerText()).toMatch(
    /^admin changed the name of room Chemistry\s+Name:\s+Physics\s+Chemistry/,
  );
  await page.getByRole('status').filter({ hasText: 'admin changed the name of room Chemistry' }).waitFor();
});

test('a new event does not move the entries that are being read', async () => {
  for (let round = 0; round < 30; round++) await rename(`Round ${round}`);
  await page.goto(path());
  await timeline().getByText('room Round 29').waitFor();
  await page.getByRole('button', { name: 'Show earlier events' }).click();
  const oldest = timeline().getByText('created room Physics');
  await oldest.scrollIntoViewIfNeeded();
  const before = await oldest.boundingBox();
  await rename('Above');
  await timeline().getByText('room Above').waitFor({ state: 'attached' });
  expect(Math.abs(((await oldest.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
});

test('the timeline of a customer has the events of its rooms, and links to the event', async () => {
  await page.goto(`${foyer.url}/console/customers/${customerId}?tab=events`);
  const entry = timeline().getByRole('listitem').filter({ hasText: 'room Above' });
  await entry.getByRole('link').last().click();
  await page.getByRole('heading', { name: 'Room updated' }).waitFor();
  const change = page.locator('.differences').first();
  expect(await change.innerText()).toMatch(/Name\s+Round 29\s+Above/);
});

test('events can be filtered by name, type, customer and time', async () => {
  await page.goto(`${foyer.url}/console/events`);
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('combobox', { name: 'Event' }).fill('room.created');
  await page.getByText('created room Physics').waitFor();
  await page.locator('tbody').getByText('Room updated').first().waitFor({ state: 'detached' });
  const only = `name:room.updated;customer_id:${customerId};occurred_at:${new Date(Date.now() + 60_000).toISOString()}..`;
  await page.goto(`${foyer.url}/console/events?only=${encodeURIComponent(only)}`);
  await page.getByText('Nothing matches').waitFor();
});

test('an administrator without the permission to read events sees none, and the console sends no request that is rejected', async () => {
  const { data: role } = await foyer.admin.createRole({ body: { name: 'rooms-only', display_name: 'Rooms only' } });
  const { data: permissions } = await foyer.admin.listPermissions({ query: { limit: 0 } });
  const permissionNames = ['access-dashboard', 'read-rooms', 'update-rooms'];
  const permissions_ids = permissions.flatMap(({ name, id }) => (permissionNames.includes(name) ? [id] : []));
  await foyer.admin.attachPermissions({ body: { role_id: role.id, permissions_ids } });
  await foyer.admin.createAdmin({
    body: {
      username: 'rooms',
      email: 'rooms@example.com',
      first_name: 'Rooms',
      last_name: 'Only',
      password: credentials.password,
      roles_ids: [role.id],
    },
  });
  const refused: string[] = [];
  const restrictedPage = await openSignedInPage(browser, foyer, browserErrors, 'rooms');
  restrictedPage.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  await restrictedPage.goto(path());
  await restrictedPage.getByRole('heading', { name: 'Above' }).waitFor();
  await restrictedPage.getByRole('tab', { name: 'Settings' }).waitFor();
  expect(await restrictedPage.getByRole('tab', { name: 'Events' }).count()).toBe(0);
  expect(await restrictedPage.getByRole('link', { name: 'Events' }).count()).toBe(0);
  expect(refused).toEqual([]);
  await restrictedPage.context().close();
});

test.each(['light', 'dark'] as const)('timeline, list and event have no accessibility faults in %s', async (scheme) => {
  await page.emulateMedia({ colorScheme: scheme });
  await rename(`Physics in ${scheme}`);
  const { data: events } = await foyer.admin.listEvents({ query: { search: 'name:room.updated', limit: 1 } });
  const faults: string[] = [];
  for (const [address, expectedText] of [
    [path(), 'changed the name'],
    [`${foyer.url}/console/events`, 'changed the name'],
    [`${foyer.url}/console/events/${events[0]?.id ?? ''}`, 'What changed'],
  ] as const) {
    await page.goto(address);
    await page.getByText(expectedText).first().waitFor();
    faults.push(...(await accessibilityFaults(page)));
  }
  expect(faults).toEqual([]);
});

test('no page had a script error', () => {
  expect(browserErrors).toEqual([]);
});
