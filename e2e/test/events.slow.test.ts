import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { waitForQuietNetwork } from './network-quiet.ts';
import { openSignedInPage } from './signed-in-page.ts';

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  page = await openSignedInPage(browser, foyer, browserErrors);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

/** Creates a room in an account of the demo data. */
async function createRoom(name: string): Promise<string> {
  const { data: accounts } = await foyer.admin.listAccounts({ query: { limit: 1 } });
  const { data } = await foyer.admin.createRoom({
    body: { account_id: accounts[0]?.id ?? '', room_name: name, room_type: 'meet' },
  });
  return data.id;
}

function recordApiCalls(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return calls;
}

test('an idle dashboard sends no requests, and shows changes by another person', async () => {
  // Until a provider has been checked for the first time, the dashboard polls for the result.
  for (const { id } of (await foyer.admin.listServiceProviders()).data)
    await foyer.admin.checkServiceProvider({ params: { service_provider_id: id } });
  await page.reload();
  await page.getByText('Running now').waitFor();
  await waitForQuietNetwork(page);
  const calls = recordApiCalls(page);
  // Longer than any interval at which a screen might poll.
  await page.waitForTimeout(31_000);
  expect(calls).toEqual([]);
  await createRoom('Made elsewhere');
  await page.getByRole('link', { name: 'Made elsewhere' }).waitFor();
  expect(calls).toContain('GET /api/v1/rooms');
  expect(calls).not.toContain('GET /api/v1/roles');
}, 120_000);

test('a list shows what is created, renamed and deleted elsewhere', async () => {
  await page.goto(`${foyer.url}/console/rooms`);
  const id = await createRoom('Short-lived');
  await page.getByRole('link', { name: 'Short-lived' }).waitFor();
  await foyer.admin.updateRoom({ params: { room_id: id }, body: { room_name: 'Renamed' } });
  await page.getByRole('link', { name: 'Renamed' }).waitFor();
  await foyer.admin.updateRoom({ params: { room_id: id }, body: { status: 'inactive' } });
  await foyer.admin.deleteRoom({ params: { room_id: id } });
  await page.getByRole('link', { name: 'Renamed' }).waitFor({ state: 'detached' });
});

test('changes during an offline period are shown once the browser is online again', async () => {
  await page.goto(`${foyer.url}/console/rooms`);
  await page.getByRole('link', { name: 'Made elsewhere' }).waitFor();
  await page.context().setOffline(true);
  await page.getByText('The server can’t be reached.').waitFor();
  await createRoom('Made while offline');
  await page.context().setOffline(false);
  await page.getByRole('link', { name: 'Made while offline' }).waitFor();
});

test('an event stream that fails with an expired access token continues with a new one', async () => {
  const calls = recordApiCalls(page);
  await page.route('**/events/stream*', (route) => route.fulfill({ status: 401, body: '{}' }), { times: 1 });
  await page.goto(`${foyer.url}/console/rooms`);
  await expect.poll(() => calls.filter((call) => call.endsWith('/events/stream'))).toHaveLength(2);
  await createRoom('Made after the renewal');
  await page.getByRole('link', { name: 'Made after the renewal' }).waitFor();
});

test('without an event stream, the page refreshes every minute', async () => {
  const context = await browser.newContext({ storageState: await page.context().storageState() });
  const other = await context.newPage();
  await other.clock.install();
  await other.route('**/events/stream*', (route) => route.fulfill({ status: 403, body: '{}' }));
  await other.goto(`${foyer.url}/console/rooms`);
  await other.getByRole('link', { name: 'Made elsewhere' }).waitFor();
  await createRoom('Made without a stream');
  await other.clock.runFor(61_000);
  await other.getByRole('link', { name: 'Made without a stream' }).waitFor();
  await context.close();
});

test('no page had a script error', () => {
  expect(browserErrors).toEqual([]);
});
