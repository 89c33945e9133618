import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { credentials, type RunningFoyer, startFoyer } from './foyer.ts';
import { waitForQuietNetwork } from './network-quiet.ts';

let foyer: RunningFoyer;
let browser: Browser;

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

/** Opens the console and records the errors of the page and its requests to other origins. */
async function openConsole(path = ''): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== foyer.url) problems.push(`loads ${request.url()}`);
  });
  await page.goto(`${foyer.url}/console${path}`);
  return { page, problems };
}

async function signIn(page: Page, password = credentials.password): Promise<void> {
  await page
    .getByLabel(/user name|email/i)
    .first()
    .fill(credentials.username);
  await page
    .getByLabel(/password/i)
    .first()
    .fill(password);
  await page.keyboard.press('Enter');
}

test('a wrong password shows an error, a correct one signs in, and a reload keeps the session without a token in storage', async () => {
  const { page, problems } = await openConsole();
  await signIn(page, 'a wrong password');
  await page.getByText(/wrong/i).first().waitFor();
  await signIn(page);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(/f[ar]t_/);
  expect(problems).toEqual([]);
  await page.context().close();
});

test('the demo data is listed and can be opened, on a wide and on a narrow screen', async () => {
  const { page, problems } = await openConsole('/rooms');
  await signIn(page);
  await page.getByText('Welcome to Foyer').first().click();
  await page.getByRole('heading', { name: 'Welcome to Foyer' }).waitFor();
  await page.getByText('No meeting running').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    'customers',
    'subscriptions',
    'accounts',
    'service-packages',
    'service-providers',
    'users',
    'settings',
  ]) {
    await page.goto(`${foyer.url}/console/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const [contentWidth, windowWidth] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
      number,
      number,
    ];
    expect([path, contentWidth <= windowWidth]).toEqual([path, true]);
  }
  expect(problems).toEqual([]);
  await page.context().close();
});

test('automated checks find no violations of WCAG 2.2 AA on the screens', async () => {
  const { page } = await openConsole();
  await signIn(page);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  for (const path of ['', '/rooms', '/service-packages', '/settings']) {
    await page.goto(`${foyer.url}/console${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitForQuietNetwork(page);
    expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
  }
  await page.context().close();
});

test('settings can be saved only after a change, and durations are entered in minutes, hours or days', async () => {
  const { page } = await openConsole('/settings');
  await signIn(page);
  const save = page.getByRole('button', { name: 'Save settings' });
  await save.waitFor();
  expect(await save.isDisabled()).toBe(true);
  const lifetime = page.getByRole('textbox', { name: 'Access token lifetime' });
  expect(await lifetime.inputValue()).toBe('1');
  await lifetime.fill('1,5');
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  await page.getByText('Discard your changes?').waitFor();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await save.click();
  await page.getByText('The settings have been saved.').waitFor();
  expect((await foyer.admin.readSettings()).data.access_token_seconds).toBe(5400);
  expect(await save.isDisabled()).toBe(true);
  await page.context().close();
});

test('an id that is pasted into the search of the audit log becomes the filter that finds it', async () => {
  const [room] = (await foyer.admin.listRooms()).data;
  const { page } = await openConsole('/audit-log');
  await signIn(page);
  await page.getByRole('searchbox', { name: /paste an id/ }).fill(room?.id ?? '');
  await page.getByRole('listitem').getByText('Resource:').waitFor();
  await page.getByRole('link', { name: 'Room created' }).click();
  await page.getByRole('heading', { level: 1, name: 'Room created' }).waitFor();
  await page
    .getByRole('row', { name: /^Customer/ })
    .getByRole('link')
    .waitFor();
  await page.context().close();
});
