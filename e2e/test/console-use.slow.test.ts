import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { credentials, type RunningFoyer, startFoyer } from './foyer.ts';
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
  expect(browserErrors).toEqual([]);
});

async function open(path: string, target = page): Promise<void> {
  await target.goto(`${foyer.url}/console${path}`);
  await target.getByRole('heading', { level: 1 }).first().waitFor();
}

async function press(name: string | RegExp, within: Page | Locator = page): Promise<void> {
  await within.getByRole('button', { name, exact: typeof name === 'string' }).click();
}

/** Waits until the field with this label has the focus. */
async function waitForFocus(label: string): Promise<void> {
  const field = page
    .getByRole('dialog')
    .getByRole('textbox', { name: label })
    .or(page.getByRole('combobox', { name: label }));
  await expect.poll(() => field.first().evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
}

test('the steps of “Getting started” do not count the demonstration data, and can be hidden', async () => {
  const guide = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Getting started' }) });
  await guide.getByText('0 of 6').waitFor();
  await guide.getByRole('link', { name: 'Welcome to Foyer' }).waitFor();
  await foyer.admin.createCustomer({
    body: {
      customer_type: 'business',
      company_name: 'Own Ltd',
      first_name: 'Hedy',
      last_name: 'Own',
      email: 'hedy@own.example.com',
      password: credentials.password,
      country: 'AT',
      currency: 'EUR',
    },
  });
  await page.reload();
  await guide.getByText('1 of 6').waitFor();
  await press('Hide', guide);
  await guide.waitFor({ state: 'detached' });
});

test('Escape closes the search, a drawer focuses its first field, and Enter selects the first match', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Search everything' }).fill('Harbour');
  await page.getByRole('option', { name: /Harbour Lights/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await open('/subscriptions');
  await press('New subscription');
  await waitForFocus('Customer');
  const picker = page.getByRole('dialog').getByRole('combobox', { name: 'Customer' });
  // Types faster than the API responds.
  await picker.pressSequentially('harb');
  await picker.press('Enter');
  await expect.poll(() => picker.inputValue()).toBe('Harbour Lights Ltd');

  await open('/customers');
  await press('New customer');
  await waitForFocus('Customer type');
  const country = page.getByRole('dialog').getByRole('combobox', { name: 'Country' });
  await country.pressSequentially('Portu');
  await page.getByRole('option', { name: 'Portugal' }).waitFor();
  await country.press('Enter');
  await expect.poll(() => country.inputValue()).toBe('Portugal');
  await page
    .getByRole('dialog')
    .getByText(/Leave it empty only if a user with this email exists/)
    .waitFor();
  expect(
    await page
      .getByRole('dialog')
      .getByLabel(/^Password/)
      .first()
      .getAttribute('required'),
  ).not.toBeNull();
});

test('the provider form marks invalid connection fields, whether the form or the API detected the error', async () => {
  await open('/service-providers');
  await press('New service provider');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Name' }).fill('Second');
  const address = drawer.getByRole('textbox', { name: 'Address' });
  await press('Create service provider', drawer);
  await drawer.getByText('“Address” is required.').waitFor();
  await drawer.getByText('“Shared secret” is required.').waitFor();
  expect(await address.getAttribute('aria-invalid')).toBe('true');
  await address.fill('nowhere');
  await drawer.getByLabel('Shared secret').first().fill('secret');
  await press('Create service provider', drawer);
  await drawer.getByText(/^“Address” must be an address/).waitFor();
  expect(await address.getAttribute('aria-invalid')).toBe('true');
});

test('without a connection the console shows an error on every page, and recovers by itself', async () => {
  await open('/');
  await page.context().setOffline(true);
  // The dashboard has a link of the same name, once it has loaded.
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link', { name: 'Accounts', exact: true }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'The server can’t be reached.' });
  await notice.getByRole('button', { name: 'Try now' }).click();
  await page.getByText('Not loaded').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.context().setOffline(false);
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Main office' }).waitFor();
});

test('an administrator without access to customers and packages sees a note instead of ids', async () => {
  const permissions = (await foyer.admin.listPermissions({ query: { limit: 0 } })).data;
  const { data: role } = await foyer.admin.createRole({ body: { name: 'limited', display_name: 'Limited' } });
  const permissions_ids = permissions
    .filter(({ name }) => ['read-subscriptions', 'read-accounts', 'read-rooms'].includes(name))
    .map(({ id }) => id);
  await foyer.admin.attachPermissions({ body: { role_id: role.id, permissions_ids } });
  const username = 'limited';
  await foyer.admin.createAdmin({
    body: {
      username,
      email: 'limited@example.com',
      first_name: 'Lee',
      last_name: 'Limited',
      password: credentials.password,
      roles_ids: [role.id],
    },
  });
  const limited = await openSignedInPage(browser, foyer, browserErrors, username);
  const [subscription] = (await foyer.admin.listSubscriptions()).data;
  for (const path of ['/subscriptions', '/accounts', '/rooms', `/subscriptions/${subscription?.id ?? ''}`]) {
    await open(path, limited);
    await limited.getByText('Not visible to you').first().waitFor();
    const visibleText = await limited.locator('main').innerText();
    expect([path, visibleText.match(/\b(?:cust|pkg|acct)_\w+/g)]).toEqual([path, null]);
  }
  await limited.context().close();
});

test('terminating a customer lists its running meetings and everything that ends, and asks for its name', async () => {
  const [room] = (await foyer.admin.listRooms()).data;
  const params = { room_id: room?.id ?? '' };
  const { data: joined } = await foyer.admin.joinRoom({ params, body: { role: 'moderator', name: 'Grace' } });
  const joinResponse = await fetch(joined.url, { redirect: 'manual' });
  const sessionToken = new URL(joinResponse.headers.get('location') ?? '').searchParams.get('sessionToken');
  await fetch(`${foyer.sandboxUrl}/sandbox/control/users/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sessionToken }),
  });
  await expect
    .poll(async () => (await foyer.admin.listMeetings({ query: { search: 'state:open' } })).data.length)
    .toBe(1);

  await open(`/customers/${room?.customer_id ?? ''}`);
  await press('More actions');
  await page.getByRole('menuitem', { name: 'Terminate…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/1 meeting is running and ends/).waitFor();
  await dialog.getByRole('link', { name: 'Welcome to Foyer' }).waitFor();
  await dialog.getByText('Will end: 1 subscription, 1 account, 1 room.').waitFor();
  const terminate = dialog.getByRole('button', { name: 'Terminate' });
  expect(await terminate.isDisabled()).toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel(/^Type Harbour Lights Ltd/).fill('Harbour Lights Ltd');
  await terminate.click();
  await page.getByText('Harbour Lights Ltd is terminated.').waitFor();
});
