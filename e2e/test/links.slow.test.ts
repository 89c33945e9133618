import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaultsInBothSchemes } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';

let foyer: RunningFoyer;
let browser: Browser;

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

/** The check needs JavaScript, so it runs on the same page in another context. */
async function faultsAt(url: string): Promise<string[]> {
  const page = await browser.newPage();
  await page.goto(url);
  const faults = await accessibilityFaultsInBothSchemes(page);
  await page.close();
  return faults;
}

test('a person accepts an invitation on a phone without JavaScript, and later chooses a new password by a link', async () => {
  const { data: customers } = await foyer.admin.listCustomers({ query: { limit: 1 } });
  const customer = customers[0];
  if (!customer) throw new Error('There is no customer.');
  const email = 'grace.hopper@example.com';
  const { data: invitation } = await foyer.admin.createInvitation({
    params: { customer_id: customer.id },
    body: { email, permissions: ['read-customer'] },
  });
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 360, height: 740 },
    locale: 'en',
  });
  const page = await context.newPage();
  const externalRequests: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== foyer.url) externalRequests.push(request.url());
  });

  await page.goto(invitation.url ?? '');
  expect(await faultsAt(page.url())).toEqual([]);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByText('Enter a password.').waitFor();
  await page.getByLabel('First name').fill('Grace');
  await page.getByLabel('Last name').fill('Hopper');
  await page.getByLabel('Choose a password').fill('analytical engine no. 1');
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByRole('heading', { name: 'Welcome, Grace' }).waitFor();

  const { data: users } = await foyer.admin.listUsers({ query: { search: `email:${email}` } });
  const { data: reset } = await foyer.admin.createUserPasswordReset({ params: { user_id: users[0]?.id ?? '' } });
  await page.goto(reset.url ?? '');
  expect(await faultsAt(page.url())).toEqual([]);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByText('too short').waitFor();
  await page.getByLabel('New password').fill('difference engine no. 2');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByRole('heading', { name: 'Your password has been changed' }).waitFor();
  await foyer.admin.loginUser({ body: { username: email, password: 'difference engine no. 2' } });
  await page.goto(reset.url ?? '');
  await page.getByRole('heading', { name: 'no longer valid' }).waitFor();
  expect(externalRequests).toEqual([]);
  await context.close();
});
